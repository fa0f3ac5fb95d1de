import Conditions
import Foundation
import NetworkQuality
import TestSupport
import Transport
import Wire

/// A link in the head: what exchanges over it would show, with jitter that is the same in every run.
struct SimulatedLink {
    /// Seconds.
    var roundTrip: Double
    var bytesPerSecond: Double
    /// Standard deviation of the logarithms of waits and rates.
    var jitter = 0.0
    /// Time that the origin takes, in seconds.
    var thinking = 0.0
    /// Whether the transport knows the way (a new connection for each exchange).
    var tellsWay = true
    private(set) var now = Duration.seconds(1)
    private var generator: SeededGenerator
    private static let packet = 1_448

    init(roundTrip: Double, bytesPerSecond: Double, jitter: Double = 0, seed: UInt64 = 1) {
        self.roundTrip = roundTrip
        self.bytesPerSecond = bytesPerSecond
        self.jitter = jitter
        generator = SeededGenerator(seed: seed)
    }

    /// A standard normal number.
    private mutating func normal() -> Double {
        let unit = { (bits: UInt64) in Double(bits >> 11) / Double(1 << 53) }
        let (first, second) = (unit(generator.next()), unit(generator.next()))
        return (-2 * log(max(first, 1e-300))).squareRoot() * cos(2 * .pi * second)
    }

    mutating func random(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

    mutating func pass(_ duration: Duration) { now += duration }

    /// Fetches a body over an idle connection: ten packets, twice as many each round trip, until the link is full.
    mutating func fetch(_ byteCount: Int, into estimator: inout QualityEstimator) {
        let trip = roundTrip * exp(jitter * normal()), rate = bytesPerSecond * exp(jitter * normal())
        let packetTime = Double(Self.packet) / rate
        let sentAt = now
        let wait = Duration.seconds(trip + thinking + packetTime)
        let way: TransferAnswer.Way = tellsWay ? .handshake(.seconds(trip)) : .unknown
        estimator.handle(.answered(TransferAnswer(sentAt: sentAt, wait: wait, way: way)), at: now + wait)
        now += wait
        var remaining = byteCount, window = 10
        while remaining > 0 {
            let packetCount = min(window, (remaining + Self.packet - 1) / Self.packet)
            for index in 0..<packetCount {
                if index > 0 { now += .seconds(packetTime) }
                let size = min(Self.packet, remaining)
                remaining -= size
                estimator.handle(.arrived(TransferArrival(uptime: now, byteCount: size)), at: now)
            }
            guard remaining > 0 else { break }
            now += .seconds(max(packetTime, trip - Double(packetCount - 1) * packetTime))
            window *= 2
        }
        estimator.handle(.fellSilent, at: now)
    }

    /// The estimate now.
    func look(_ estimator: inout QualityEstimator) -> QualityEstimate {
        estimator.estimate(at: now, date: Date(timeIntervalSince1970: now / .seconds(1)))
    }
}

extension QualityEstimator {
    /// One that is on Wi-Fi from the beginning.
    static func onWiFi(remembered: Memory? = nil) -> QualityEstimator {
        var estimator = QualityEstimator()
        estimator.handle(.entered(.init(.wifi, id: "home"), remembered: remembered), at: .zero)
        return estimator
    }
}
