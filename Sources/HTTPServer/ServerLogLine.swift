#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One structured line of the log.
public struct ServerLogLine: Sendable, Hashable, Codable {
    public var date: Date
    public var id: String
    public var method: String
    /// The route's pattern, never the raw path; "-" when no route matched.
    public var route: String
    public var status: Int
    /// From the request line to the end of the answer.
    public var microseconds: Int64
    /// Bytes of the answer's body.
    public var byteCount: Int64
    public var remoteAddress: String
    /// What went wrong inside, when the answer is 500, or why the answer did not arrive whole.
    public var failure: String?
}
