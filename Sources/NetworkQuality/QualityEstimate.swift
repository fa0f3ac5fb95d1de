#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What is known of the network's quality.
public enum QualityStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing has been measured since the start, and nothing is remembered of this network.
    case notReady
    /// There is no network, or too little has been measured of it.
    case unknown
    case poor, good, excellent
}

/// The network's quality as the device's own exchanges show it.
public struct QualityEstimate: Sendable, Hashable {
    public var status: QualityStatus
    /// When the status was last found or confirmed.
    public var date: Date
    /// From a request sent to the head of its response; `nil` when not measured.
    public var roundTrip: Duration?
    /// Throughput towards the device; `nil` when not measured.
    public var bytesPerSecond: Double?
    /// How much the numbers can be relied on, from 0, not at all, to 1.
    public var confidence: Double

    /// Creates a value.
    public init(
        status: QualityStatus = .notReady, date: Date, roundTrip: Duration? = nil, bytesPerSecond: Double? = nil,
        confidence: Double = 0
    ) {
        self.status = status
        self.date = date
        self.roundTrip = roundTrip
        self.bytesPerSecond = bytesPerSecond
        self.confidence = confidence
    }

    /// How long a response of so many bytes would take now, from the request to its last byte; `nil` when too little is known.
    ///
    /// The connection is taken to be open and idle: the origin begins with ten packets and sends twice as many each round trip
    /// until the link is full (RFC 6928; RFC 5681, section 3.1). A connection to be made first takes one round trip more, two
    /// with TLS.
    public func predictedDuration(forByteCount byteCount: Int64) -> Duration? {
        guard let roundTrip, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = roundTrip / .seconds(1)
        var remaining = Double(max(0, byteCount)), window = Self.initialWindow
        var elapsed = seconds
        while window < bytesPerSecond * seconds, remaining > window {
            elapsed += seconds
            remaining -= window
            window *= 2
        }
        return .seconds(min(elapsed + remaining / bytesPerSecond, Self.durationMax))
    }

    /// Bytes of a response that are sent at once on an idle connection (RFC 6928).
    private static let initialWindow = 14_600.0
    /// Longer than anybody waits, and short enough for a `Duration`.
    private static let durationMax = 1e9
}
