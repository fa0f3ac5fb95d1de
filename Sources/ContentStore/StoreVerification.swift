/// What a check of the whole store found.
public struct StoreVerification: Sendable, Hashable, Codable {
    public var entriesChecked = 0
    public var bodiesChecked = 0
    /// One sentence for each fault: what, where, and what was done.
    public var problems: [String] = []
    /// Whether the faults were mended (by removing what was broken).
    public var repaired = false

    /// An empty report.
    public init() {}
}
