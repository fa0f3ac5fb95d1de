import Conditions
import Foundation
import NetworkQuality
import TestSupport
import Testing
import Transport
import Wire

@Suite("The estimator")
struct QualityEstimatorTests {
    /// A link and what is expected of it.
    struct Profile: Sendable, CustomStringConvertible {
        var name: String
        var milliseconds: Double
        var kilobits: Double
        var status: QualityStatus

        var description: String { name }
        func link(jitter: Double = 0, seed: UInt64 = 1) -> SimulatedLink {
            SimulatedLink(
                roundTrip: milliseconds / 1_000, bytesPerSecond: kilobits * 125, jitter: jitter, seed: seed)
        }

        static let all = [
            Profile(name: "slow 2g", milliseconds: 2_000, kilobits: 50, status: .poor),
            Profile(name: "3g", milliseconds: 400, kilobits: 780, status: .good),
            Profile(name: "4g", milliseconds: 170, kilobits: 9_000, status: .excellent),
            Profile(name: "wifi", milliseconds: 30, kilobits: 30_000, status: .excellent),
        ]
    }

    /// Ten bodies as apps have them, in another order for every seed; smaller ones on slow links.
    private func fetchTen(_ link: inout SimulatedLink, _ estimator: inout QualityEstimator) {
        let scale = max(0.1, min(1, link.bytesPerSecond / 1_000_000))
        for size in [2_000, 2_000, 8_000, 20_000, 30_000, 60_000, 100_000, 150_000, 300_000, 500_000]
            .sorted(by: { _, _ in link.random(0...1) == 0 })
        {
            link.fetch(Int(Double(size) * scale), into: &estimator)
            link.pass(.milliseconds(300))
        }
    }

    @Test("after ten exchanges it is within a fifth of a steady link", arguments: Profile.all)
    func accuracy(profile: Profile) throws {
        for seed in 1...20 {
            var link = profile.link(seed: UInt64(seed)), estimator = QualityEstimator.onWiFi()
            fetchTen(&link, &estimator)
            let estimate = link.look(&estimator)
            let roundTrip = try #require(estimate.roundTrip) / .milliseconds(1)
            let kilobits = try #require(estimate.bytesPerSecond) / 125
            #expect(abs(roundTrip / profile.milliseconds - 1) < 0.2, "seed \(seed)")
            #expect(abs(kilobits / profile.kilobits - 1) < 0.2, "seed \(seed)")
            #expect(estimate.status == profile.status, "seed \(seed)")
            #expect(estimate.confidence > 0.5, "seed \(seed)")
        }
    }

    @Test("on a noisy link it is within a fifth in nine of ten histories", arguments: Profile.all)
    func noise(profile: Profile) throws {
        var misses = 0
        for seed in 1...20 {
            var link = profile.link(jitter: 0.15, seed: UInt64(seed)), estimator = QualityEstimator.onWiFi()
            for _ in 0..<4 { fetchTen(&link, &estimator) }
            let estimate = link.look(&estimator)
            let roundTrip = try #require(estimate.roundTrip) / .milliseconds(1)
            let kilobits = try #require(estimate.bytesPerSecond) / 125
            if abs(roundTrip / profile.milliseconds - 1) > 0.2 || abs(kilobits / profile.kilobits - 1) > 0.2 {
                misses += 1
            }
        }
        #expect(misses <= 2)
    }

    @Test("the origin's own work is no round trip where the connection tells the way", arguments: [true, false])
    func thinking(tellsWay: Bool) throws {
        var link = Profile.all[2].link(), estimator = QualityEstimator.onWiFi()
        link.thinking = 0.8
        link.tellsWay = tellsWay
        fetchTen(&link, &estimator)
        let roundTrip = try #require(link.look(&estimator).roundTrip)
        #expect((roundTrip < .milliseconds(260)) == tellsWay)
        var kernel = QualityEstimator.onWiFi()
        for index in 0..<5 {
            let answer = TransferAnswer(
                sentAt: .seconds(index), wait: .milliseconds(900),
                way: .kernel(.milliseconds(40), deviation: .milliseconds(5)))
            kernel.handle(.answered(answer), at: .seconds(index + 1))
        }
        #expect(kernel.estimate(at: .seconds(6), date: Date()).roundTrip == .milliseconds(60))
    }

    @Test("a wait behind other responses is only a limit")
    func load() {
        var estimator = QualityEstimator.onWiFi()
        let answer = { (seconds: Int, milliseconds: Int, others: Int) in
            QualityEstimator.Event.answered(
                TransferAnswer(sentAt: .seconds(seconds), wait: .milliseconds(milliseconds), otherByteCount: others))
        }
        for index in 0..<3 { estimator.handle(answer(index, 100, 0), at: .seconds(index)) }
        for index in 3..<50 { estimator.handle(answer(index, 900, 100_000), at: .seconds(index)) }
        #expect(estimator.estimate(at: .seconds(50), date: Date()).roundTrip == .milliseconds(100))
    }

    @Test(
        "every change of class shows within five seconds, or two exchanges where those take longer",
        arguments: Profile.all, Profile.all)
    func changes(from old: Profile, to new: Profile) {
        guard old.status != new.status else { return }
        for seed in 1...3 {
            var link = old.link(jitter: 0.1, seed: UInt64(seed)), estimator = QualityEstimator.onWiFi()
            for _ in 0..<60 {
                link.fetch(link.random(1_000...20_000), into: &estimator)
                link.pass(.milliseconds(200))
            }
            #expect(link.look(&estimator).status == old.status)
            link.roundTrip = new.milliseconds / 1_000
            link.bytesPerSecond = new.kilobits * 125
            let change = link.now
            var exchangeCount = 0
            while link.now - change < .seconds(5) || exchangeCount < 2, link.look(&estimator).status != new.status {
                link.fetch(link.random(6_000...20_000), into: &estimator)
                exchangeCount += 1
                link.pass(.milliseconds(100))
            }
            #expect(link.look(&estimator).status == new.status, "\(old) to \(new), seed \(seed)")
        }
    }

    @Test("a noisy link does not flap, not even one that is on the edge of a class")
    func steadiness() {
        let edge = Profile(name: "edge", milliseconds: 272, kilobits: 2_000, status: .good)
        for profile in Profile.all + [edge] {
            var turns = 0
            for seed in 1...2 {
                var link = profile.link(jitter: 0.25, seed: UInt64(seed)), estimator = QualityEstimator.onWiFi()
                var last: QualityStatus?
                for _ in 0..<300 {
                    let size = Double(link.random(2_000...200_000)) * min(1, profile.kilobits / 9_000)
                    link.fetch(Int(size), into: &estimator)
                    link.pass(.milliseconds(500))
                    let status = link.look(&estimator).status
                    if let last, last != status, last != .unknown, last != .notReady { turns += 1 }
                    last = status
                }
            }
            // In 600 exchanges: a steady link never turns, one on the edge settles.
            #expect(turns <= (profile.name == "edge" ? 4 : 0), "\(profile): \(turns)")
        }
    }

    @Test("not ready before anything, unknown without a network and before there is enough")
    func statuses() {
        var estimator = QualityEstimator()
        let status = { (estimator: inout QualityEstimator) in estimator.estimate(at: .seconds(100), date: Date()).status
        }
        #expect(status(&estimator) == .notReady)
        estimator.handle(.entered(.init(.none), remembered: nil), at: .zero)
        #expect(status(&estimator) == .unknown)
        estimator.handle(.entered(.init(.wifi, id: "a"), remembered: nil), at: .zero)
        #expect(status(&estimator) == .notReady)
        var link = Profile.all[3].link()
        link.fetch(1_000, into: &estimator)
        #expect(status(&estimator) == .unknown)
        for _ in 0..<3 { link.fetch(1_000, into: &estimator) }
        // Round trips alone are believed only when there are many.
        #expect(status(&estimator) == .unknown)
        for _ in 0..<6 { link.fetch(1_000, into: &estimator) }
        #expect(status(&estimator) == .excellent)
        estimator.handle(.entered(.init(.wifi, id: "b"), remembered: nil), at: link.now)
        #expect(status(&estimator) == .unknown)
        #expect(estimator.memory(date: Date()) == nil)
    }

    @Test("a remembered network has its class at once, and new samples soon outweigh what was remembered")
    func memory() throws {
        let memory = QualityEstimator.Memory(roundTripSeconds: 0.4, bytesPerSecond: 97_500, date: Date())
        var estimator = QualityEstimator.onWiFi(remembered: memory)
        let first = estimator.estimate(at: .zero, date: Date())
        #expect(first.status == .good)
        #expect(first.roundTrip == .milliseconds(400))
        #expect(first.bytesPerSecond == 97_500)
        #expect(estimator.memory(date: Date()) == nil)
        var link = Profile.all[3].link()
        for _ in 0..<3 { link.fetch(100_000, into: &estimator) }
        #expect(link.look(&estimator).status == .excellent)
        #expect(try #require(estimator.memory(date: Date())).roundTripSeconds < 0.05)
    }

    @Test("exchanges that began on another network say nothing of this one")
    func crossing() {
        var estimator = QualityEstimator.onWiFi()
        estimator.handle(.entered(.init(.cellular, id: "b"), remembered: nil), at: .seconds(10))
        for index in 0..<20 {
            estimator.handle(
                .answered(TransferAnswer(sentAt: .seconds(9), wait: .seconds(2 + index))), at: .seconds(11))
        }
        estimator.handle(.arrived(TransferArrival(uptime: .seconds(9), byteCount: 1)), at: .seconds(11))
        #expect(estimator.estimate(at: .seconds(11), date: Date()).roundTrip == nil)
    }

    @Test("the release's thresholds count, by the kind of network, from the moment they change")
    func thresholds() {
        var thresholds = QualityThresholds()
        thresholds.cellular.excellent.roundTripMillisecondsMax = 10
        thresholds.cellular.good.roundTripMillisecondsMax = 20
        for kind in [DeviceConditions.NetworkKind.cellular, .wifi, .wired, .other] {
            var link = Profile.all[3].link(), estimator = QualityEstimator()
            estimator.handle(.entered(.init(kind), remembered: nil), at: .zero)
            fetchTen(&link, &estimator)
            #expect(link.look(&estimator).status == .excellent)
            estimator.handle(.thresholdsChanged(thresholds), at: link.now)
            #expect(link.look(&estimator).status == (kind == .cellular ? .poor : .excellent))
        }
    }

    @Test("confidence grows with samples and fades with time; the date is that of the last sample")
    func confidence() {
        var link = Profile.all[2].link(), estimator = QualityEstimator.onWiFi()
        #expect(link.look(&estimator).confidence == 0)
        var last = 0.0
        for _ in 0..<3 {
            fetchTen(&link, &estimator)
            let estimate = link.look(&estimator)
            #expect(estimate.confidence > last && estimate.confidence <= 1)
            last = estimate.confidence
        }
        let date = link.look(&estimator).date
        link.pass(.seconds(600))
        let later = link.look(&estimator)
        #expect(later.confidence < last / 10)
        #expect(later.status == .excellent)
        #expect(abs(later.date.timeIntervalSince(date)) < 0.001)
    }

    @Test("any history whatever gives numbers that are numbers")
    func totality() {
        var generator = SeededGenerator(seed: 3)
        let odd: [Duration] = [.zero, .seconds(-5), .nanoseconds(1), .seconds(Int64.max / 4), .milliseconds(30)]
        let duration = { (generator: inout SeededGenerator) in odd.randomElement(using: &generator) ?? .zero }
        for _ in 0..<100 {
            var estimator = QualityEstimator()
            for _ in 0..<60 {
                let at = duration(&generator)
                let event: QualityEstimator.Event
                switch Int.random(in: 0..<7, using: &generator) {
                case 0, 1:
                    event = .answered(
                        TransferAnswer(
                            sentAt: duration(&generator), wait: duration(&generator),
                            otherByteCount: .random(in: -5...90_000, using: &generator),
                            way: [
                                .unknown, .handshake(duration(&generator)),
                                .kernel(.milliseconds(3), deviation: .seconds(-1)),
                            ].randomElement(using: &generator) ?? .unknown))
                case 2, 3:
                    event = .arrived(
                        TransferArrival(
                            uptime: at, byteCount: .random(in: -5...9_000_000, using: &generator),
                            isRestrained: .random(using: &generator)))
                case 4: event = .fellSilent
                case 5: event = .signalChanged(.random(in: -3...9, using: &generator))
                default:
                    let kind = DeviceConditions.NetworkKind.allCases.randomElement(using: &generator) ?? .none
                    let memory = QualityEstimator.Memory(
                        roundTripSeconds: [0, -1, .nan, .infinity, 1].randomElement(using: &generator) ?? 0,
                        bytesPerSecond: [nil, 0, .nan, 5].randomElement(using: &generator) ?? nil, date: Date())
                    event = .entered(.init(kind), remembered: memory)
                }
                estimator.handle(event, at: at)
                let estimate = estimator.estimate(at: at, date: Date(timeIntervalSince1970: 0))
                #expect(estimate.confidence >= 0 && estimate.confidence <= 1)
                #expect(estimate.bytesPerSecond?.isFinite ?? true)
                #expect(estimate.roundTrip.map { $0 > .zero } ?? true)
                _ = estimate.predictedDuration(forByteCount: .max)
            }
        }
    }

    @Test("a prediction counts the round trips until the link is full, and no more than the bytes need")
    func prediction() {
        var estimate = QualityEstimate(date: Date(), roundTrip: .milliseconds(100), bytesPerSecond: 1e6)
        #expect(estimate.predictedDuration(forByteCount: 0) == .milliseconds(100))
        #expect(estimate.predictedDuration(forByteCount: -1) == .milliseconds(100))
        #expect(estimate.predictedDuration(forByteCount: 14_600) == .microseconds(114_600))
        // Windows of 14,600, 29,200 and 58,400 bytes are less than the link holds; 100,000 of the 202,200 come after them.
        let long = estimate.predictedDuration(forByteCount: 202_200) ?? .zero
        #expect(abs(long / .milliseconds(1) - 500) < 0.1)
        estimate.bytesPerSecond = nil
        #expect(estimate.predictedDuration(forByteCount: 1) == nil)
        estimate.bytesPerSecond = 1e-300
        #expect(estimate.predictedDuration(forByteCount: .max) == .seconds(1e9))
    }
}
