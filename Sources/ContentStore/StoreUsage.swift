/// How full the store is.
public struct StoreUsage: Sendable, Hashable, Codable {
    public var entryCount = 0
    public var pinnedByteCount: Int64 = 0
    public var opportunisticByteCount: Int64 = 0
    public var bodyFileCount = 0

    /// Zero of everything.
    public init() {}
}
