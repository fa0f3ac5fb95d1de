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
    public func predictedDuration(forByteCount byteCount: Int64) -> Duration? {
        guard let roundTrip, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return roundTrip + .seconds(Double(max(0, byteCount)) / bytesPerSecond)
    }
}
