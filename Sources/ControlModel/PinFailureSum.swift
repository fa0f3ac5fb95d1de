#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A chain of keys that devices met at a host and that none of its pins allow, over a span of time.
public struct PinFailureSum: Sendable, Hashable, Codable {
    public var host: String
    /// The digests of the keys that were shown, leaf first, as a pin rule has them.
    public var shownDigests: [String]
    public var count: Int
    public var deviceCount: Int
    public var lastAt: Date

    /// Creates a value.
    public init(host: String, shownDigests: [String], count: Int, deviceCount: Int, lastAt: Date) {
        self.host = host
        self.shownDigests = shownDigests
        self.count = count
        self.deviceCount = deviceCount
        self.lastAt = lastAt
    }
}
