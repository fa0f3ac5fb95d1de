import ControlModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Exchanges of one slice or span, summed up.
struct ExchangeSums {
    /// Counts by outcome.
    private var counts: [String: Int] = [:]
    private var savedByteCount = 0.0
    private var wireByteCount = 0.0
    private var hitCount = 0
    private var hitMicroseconds = 0.0
    private var hits = MedianSample()
    private var misses = MedianSample()

    mutating func add(_ outcome: String, microseconds: Int64, bodyByteCount: Int64, wireByteCount: Int64) {
        counts[outcome, default: 0] += 1
        self.wireByteCount += Double(wireByteCount)
        switch outcome {
        case "pinnedHit", "cacheHit":
            // Answered on the device without waiting for the network.
            savedByteCount += Double(bodyByteCount)
            hitCount += 1
            hitMicroseconds += Double(microseconds)
            hits.add(microseconds)
        case "revalidated", "staleOnError":
            // The network was waited for, and the body came from the device.
            savedByteCount += Double(bodyByteCount)
        case "miss":
            misses.add(microseconds)
        default: break
        }
    }

    /// The sums for good, without the single values.
    func closed() -> Closed {
        Closed(
            counts: counts, savedByteCount: savedByteCount, wireByteCount: wireByteCount, hitCount: hitCount,
            hitMicroseconds: hitMicroseconds, medianHit: hits.median, medianMiss: misses.median)
    }

    /// The sums of exchanges that are all in.
    struct Closed {
        var counts: [String: Int]
        var savedByteCount: Double
        var wireByteCount: Double
        var hitCount: Int
        var hitMicroseconds: Double
        var medianHit: Double?
        var medianMiss: Double?

        /// The sums as the dashboard has them.
        /// - Parameter medianMiss: microseconds of the whole span's median miss, which every hit is compared with.
        func slice(start: Date, medianMiss spanMiss: Double?) -> AppStatistics.Slice {
            let saved = spanMiss.map { Double(hitCount) * $0 - hitMicroseconds } ?? 0
            return AppStatistics.Slice(
                start: start, exchanges: counts, savedByteCount: ExchangeSums.whole(savedByteCount),
                wireByteCount: ExchangeSums.whole(wireByteCount), hitMilliseconds: medianHit.map { $0 / 1_000 },
                missMilliseconds: medianMiss.map { $0 / 1_000 }, savedMilliseconds: saved / 1_000)
        }
    }

    /// A sum as a whole number, within what 64 bits hold.
    static func whole(_ sum: Double) -> Int64 { Int64(min(max(sum, 0), 1e18)) }
}
