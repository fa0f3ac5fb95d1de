public import Wire

/// What runs in the app while an exchange begins, carried to the exchange's record and told of its end.
public final class ExchangeTag: Sendable {
    /// For ``ExchangeRecord/events``.
    let events: [String]
    let onEnd: @Sendable (ExchangeRecord) -> Void

    /// Creates a tag.
    /// - Parameters:
    ///   - events: the names for the record, in order.
    ///   - onEnd: called once with the complete record, before anybody else has it; must not block.
    public init(events: [String], onEnd: @escaping @Sendable (ExchangeRecord) -> Void) {
        self.events = events
        self.onEnd = onEnd
    }
}
