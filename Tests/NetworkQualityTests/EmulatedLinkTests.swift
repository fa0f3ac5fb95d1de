import Foundation
import Primitives
import Testing

private let wifi = EmulatedLink.Profile(
    name: "wifi", roundTripMilliseconds: 30, downKilobits: 30_000, upKilobits: 10_000)
private let mobile = EmulatedLink.Profile(
    name: "4g", roundTripMilliseconds: 170, downKilobits: 9_000, upKilobits: 3_000)
private let slow = EmulatedLink.Profile(name: "3g", roundTripMilliseconds: 400, downKilobits: 780, upKilobits: 330)
private let crawling = EmulatedLink.Profile(
    name: "slow 2g", roundTripMilliseconds: 2_000, downKilobits: 50, upKilobits: 30)
private let congested = EmulatedLink.Profile(
    name: "congested", roundTripMilliseconds: 400, downKilobits: 120, upKilobits: 120)
private let isPossible: ConditionTrait = .enabled(
    if: EmulatedLink.isAvailable, "emulated links need root, /dev/net/tun, iproute2 and a C compiler")

/// Fetches ten bodies, each size once, and holds the estimate against the link.
private func expectAccuracy(_ profile: EmulatedLink.Profile, _ sizes: [Int], _ status: String) async throws {
    let link = try EmulatedLink(profile)
    _ = try await link.get(sizes)
    let sight = try await link.look()
    // A busy machine delivers late, both ways; that is the link's then.
    let roundTrip = profile.roundTripMilliseconds + 2 * link.finish()
    #expect(abs(sight.roundTripMilliseconds / roundTrip - 1) < 0.2, "\(sight), the link \(roundTrip) ms")
    #expect(abs(sight.kilobits / profile.downKilobits - 1) < 0.2, "\(sight)")
    #expect(sight.status == status)
    #expect(sight.confidence > 0.4)
}

@Suite("Behind an emulated link", isPossible, .serialized, .timeLimit(.minutes(2)))
struct EmulatedLinkTests {
    @Test("after ten exchanges round trip and rate are within a fifth of the link's", arguments: [wifi, mobile, slow])
    func accuracy(profile: EmulatedLink.Profile) async throws {
        let scale = profile.name == "3g" ? 6 : 1
        let sizes = [2_000, 20_000, 100_000, 5_000, 300_000, 50_000, 2_000, 150_000, 30_000, 400_000]
        try await expectAccuracy(profile, sizes.map { $0 / scale }, scale == 1 ? "excellent" : "good")
    }

    @Test("a link that changes behind the same network has its new class within five seconds, and back")
    func change() async throws {
        let link = try EmulatedLink(wifi), timekeeper = SystemTimekeeper()
        _ = try await link.get([2_000, 50_000, 100_000, 200_000, 2_000, 100_000])
        #expect(try await link.turns(to: "excellent").dropLast().allSatisfy { $0 != "poor" && $0 != "good" })
        for (profile, load, status) in [
            (congested, "every 800 \(link.url(8_000))", "poor"), (wifi, "every 500 \(link.url(60_000))", "excellent"),
            (congested, "every 800 \(link.url(8_000))", "poor"),
        ] {
            let start = timekeeper.uptime
            try link.become(profile)
            try link.tell("rest")
            try link.tell(load)
            _ = try await link.turns(to: status)
            let elapsed = timekeeper.uptime - start
            #expect(elapsed < .seconds(5), "\(status) after \(elapsed)")
        }
        try link.tell("rest")
    }

    @Test("another network has its class within five seconds; one that was used before has it at once")
    func networks() async throws {
        let link = try EmulatedLink(wifi), timekeeper = SystemTimekeeper()
        try link.tell("enter wifi home")
        _ = try await link.get([2_000, 50_000, 100_000, 200_000])
        _ = try await link.turns(to: "excellent")
        try link.become(slow)
        try link.tell("enter cellular operator")
        try link.tell("every 500 \(link.url(20_000))")
        var start = timekeeper.uptime
        #expect(try await link.turns(to: "good") == ["unknown", "good"])
        #expect(timekeeper.uptime - start < .seconds(5))
        try link.tell("rest")
        try link.become(wifi)
        start = timekeeper.uptime
        try link.tell("enter wifi home")
        #expect(try await link.turns(to: "excellent") == ["excellent"])
        #expect(timekeeper.uptime - start < .seconds(5))
        #expect(try await link.look().roundTripMilliseconds < 45)
    }

    @Test("what a body will take on an idle connection is predicted within a third")
    func prediction() async throws {
        let link = try EmulatedLink(mobile)
        _ = try await link.get([2_000, 20_000, 100_000, 50_000])
        for size in [2_000, 100_000, 400_000] {
            // Longer than the kernel keeps what it knows of an idle connection.
            try link.tell("idle 1500")
            let (elapsed, predicted) = try #require(try await link.get([size]).first)
            #expect(abs(predicted / elapsed - 1) < 1.0 / 3, "\(size) bytes: \(predicted) for \(elapsed) µs")
        }
    }
}

@Suite("Behind an emulated link for long", isPossible, .serialized, .timeLimit(.minutes(2)))
struct LongEmulatedLinkTests {
    @Test("after ten exchanges over the slowest link round trip and rate are within a fifth")
    func accuracy() async throws {
        let sizes = [1_000, 3_000, 8_000, 1_000, 6_000, 2_000, 1_000, 5_000, 2_000, 6_000]
        try await expectAccuracy(crawling, sizes, "poor")
    }

    @Test("a lossy link under varying load has one class from the first to the last exchange")
    func steadiness() async throws {
        var lossy = mobile
        lossy.lossPercent = 2
        let link = try EmulatedLink(lossy)
        try link.tell("every 700 \(link.url(30_000))")
        for _ in 0..<5 {
            _ = try await link.get([2_000, 20_000, 100_000, 5_000, 200_000, 50_000, 2_000, 60_000])
        }
        try link.tell("rest")
        let last = try await link.look().status
        #expect(link.statuses.filter { $0 != "notReady" && $0 != "unknown" } == [last])
    }
}
