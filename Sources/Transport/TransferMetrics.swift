/// Timings and byte counts of one exchange, as libcurl measured them.
public struct TransferMetrics: Sendable, Hashable, Codable {
    /// Microseconds since the start of the exchange; 0 for a phase that did not happen (a reused connection).
    public var nameLookupMicroseconds: Int64 = 0
    public var connectMicroseconds: Int64 = 0
    public var tlsMicroseconds: Int64 = 0
    public var requestSentMicroseconds: Int64 = 0
    public var firstByteMicroseconds: Int64 = 0
    public var totalMicroseconds: Int64 = 0
    /// Bytes on the wire: head and body as sent and received, compressed.
    public var sentByteCount: Int64 = 0
    public var receivedByteCount: Int64 = 0
    /// "1.1", "2" or "3".
    public var httpVersion = ""
    public var isReusedConnection = false
    public var remoteAddress = ""

    /// Zero of everything.
    public init() {}
}
