#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What devices told about the app's events of one name over a span of time.
public struct EventStatistics: Sendable, Hashable, Codable {
    public var name: String
    public var count: Int
    /// Of them, those that had a start and an end.
    public var timedCount: Int
    /// The middle duration of the timed ones; `nil` without any.
    public var medianMilliseconds: Double?
    /// The duration that nine of ten timed ones stayed within; `nil` without any.
    public var percentile90Milliseconds: Double?
    /// The exchanges that began while the timed ones ran.
    public var exchangeCount: Int
    /// Of them, answered from pre-positioned content or the cache.
    public var fromDeviceCount: Int
    public var failedCount: Int
    /// Bytes on the wire for them, both ways.
    public var wireByteCount: Int64
    public var lastAt: Date

    /// Creates a value without durations.
    public init(
        name: String, count: Int, timedCount: Int, exchangeCount: Int, fromDeviceCount: Int, failedCount: Int,
        wireByteCount: Int64, lastAt: Date
    ) {
        self.name = name
        self.count = count
        self.timedCount = timedCount
        self.exchangeCount = exchangeCount
        self.fromDeviceCount = fromDeviceCount
        self.failedCount = failedCount
        self.wireByteCount = wireByteCount
        self.lastAt = lastAt
    }
}
