#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The dashboard's numbers for one app over a span of time.
public struct AppStatistics: Sendable, Hashable, Codable {
    /// One slice of time.
    public struct Slice: Sendable, Hashable, Codable {
        public var start: Date
        /// Exchanges by ``ExchangeRecord/Outcome`` raw value.
        public var exchanges: [String: Int]
        /// Body bytes served from the device instead of the network.
        public var savedByteCount: Int64
        /// Bytes on the wire for app requests.
        public var wireByteCount: Int64
        /// Median milliseconds of a hit and of a miss; `nil` without any.
        public var hitMilliseconds: Double?
        public var missMilliseconds: Double?
        /// For each hit, how much faster than the median miss of the span it was, summed.
        public var savedMilliseconds: Double

        /// Creates a value.
        public init(
            start: Date, exchanges: [String: Int] = [:], savedByteCount: Int64 = 0, wireByteCount: Int64 = 0,
            hitMilliseconds: Double? = nil, missMilliseconds: Double? = nil, savedMilliseconds: Double = 0
        ) {
            self.start = start
            self.exchanges = exchanges
            self.savedByteCount = savedByteCount
            self.wireByteCount = wireByteCount
            self.hitMilliseconds = hitMilliseconds
            self.missMilliseconds = missMilliseconds
            self.savedMilliseconds = savedMilliseconds
        }
    }

    public var slices: [Slice] = []
    /// The whole span in one.
    public var total: Slice
    /// Pre-positioned items by ``ItemOutcome/Outcome`` raw value, with their bytes.
    public var outcomes: [String: OutcomeSum] = [:]
    /// Events by name.
    public var events: [String: Int] = [:]
    /// Items devices had to drop, by reason.
    public var losses: [String: Int] = [:]
    public var deviceCount = 0

    /// Count and bytes of an outcome.
    public struct OutcomeSum: Sendable, Hashable, Codable {
        public var count: Int
        public var byteCount: Int64
        /// Creates a value.
        public init(count: Int = 0, byteCount: Int64 = 0) {
            self.count = count
            self.byteCount = byteCount
        }
    }

    /// Creates empty statistics.
    public init(start: Date) { total = Slice(start: start) }
}
