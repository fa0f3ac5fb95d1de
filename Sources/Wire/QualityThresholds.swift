/// How good a network is, worst first.
public enum QualityClass: String, Sendable, Codable, CaseIterable, Comparable {
    case poor, good, excellent

    public static func < (left: QualityClass, right: QualityClass) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .poor: 0
        case .good: 1
        case .excellent: 2
        }
    }
}

/// From where on a network is good, and excellent; by the kind of network.
public struct QualityThresholds: Sendable, Hashable, Codable {
    /// What a class asks for. A network has the best class whose two limits it meets, and is poor without one.
    public struct Limits: Sendable, Hashable, Codable {
        /// From the request sent to the response's head, at most.
        public var roundTripMillisecondsMax: Int
        /// Throughput, at least.
        public var kilobitsPerSecondMin: Int

        /// Creates a value.
        public init(roundTripMillisecondsMax: Int, kilobitsPerSecondMin: Int) {
            self.roundTripMillisecondsMax = roundTripMillisecondsMax
            self.kilobitsPerSecondMin = kilobitsPerSecondMin
        }
    }

    /// The two limits of a kind of network.
    public struct Classes: Sendable, Hashable, Codable {
        public var good = Limits(roundTripMillisecondsMax: 1_420, kilobitsPerSecondMin: 150)
        public var excellent = Limits(roundTripMillisecondsMax: 272, kilobitsPerSecondMin: 2_000)

        /// Poor where Chromium says 2G and below, excellent where it says 4G and Facebook's classifier says excellent.
        public init() {}
    }

    public var wifi = Classes()
    public var cellular = Classes()

    /// The defaults.
    public init() {}
}
