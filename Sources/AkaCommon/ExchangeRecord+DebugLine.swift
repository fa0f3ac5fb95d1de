import Wire

extension ExchangeRecord {
    /// One line for people: what was asked, how it was answered, how long it took.
    var debugLine: String {
        "\(method) \(url) \(status) \(outcome.rawValue) \(totalMicroseconds / 1_000) ms \(wireByteCount) bytes on the wire"
    }
}
