import Conditions
import Foundation
import Primitives
import TestSupport
import Testing
import Wire

@testable import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Counters")
struct CounterTests {
    private func record(_ outcome: ExchangeRecord.Outcome) -> ExchangeRecord {
        ExchangeRecord(
            date: Date(timeIntervalSince1970: 0), method: "GET", url: "http://app.test/", status: 200,
            outcome: outcome, cacheStatus: "", firstByteMicroseconds: 1, totalMicroseconds: 250, bodyByteCount: 10,
            wireByteCount: 900)
    }

    private func outcome(_ outcome: ItemOutcome.Outcome) -> TelemetryItem {
        .outcome(
            ItemOutcome(
                segment: "news", version: 1, url: "http://app.test/", outcome: outcome, byteCount: 1_000,
                date: Date(timeIntervalSince1970: 0)))
    }

    @Test("each outcome counts where it belongs, with the bytes handed over and the time they took")
    func sums() {
        let meter = ExchangeMeter(conditions: ManualConditions(DeviceConditions(network: .init(.cellular))))
        for outcome in ExchangeRecord.Outcome.allCases { meter.note(record(outcome)) }
        for item in ItemOutcome.Outcome.allCases { meter.note(outcome(item)) }
        meter.note(.event(AppEvent(name: "x", date: Date(timeIntervalSince1970: 0))))
        var expected = ExchangeCounters()
        (expected.fromDeviceCount, expected.fromDeviceByteCount) = (4, 40)
        expected.fromDeviceDuration = .microseconds(1_000)
        (expected.fromNetworkCount, expected.fromNetworkByteCount) = (1, 10)
        expected.fromNetworkDuration = .microseconds(250)
        (expected.passedThroughCount, expected.failedCount) = (1, 1)
        (expected.downloadedItemCount, expected.downloadedByteCount) = (1, 1_000)
        expected.networkKind = .cellular
        #expect(meter.counters == expected)
        #expect(meter.counters.requestCount == ExchangeRecord.Outcome.allCases.count)
    }

    @Test("clearing begins anew")
    func clears() {
        let meter = ExchangeMeter(conditions: ManualConditions())
        meter.note(record(.miss))
        meter.clear()
        #expect(meter.counters == ExchangeCounters())
        meter.note(record(.pinnedHit))
        #expect(meter.counters.fromDeviceCount == 1 && meter.counters.networkKind == .none)
    }

    @Test("the newest thousand URLs are told, the oldest first, until they are cleared")
    func urls() {
        let meter = ExchangeMeter(conditions: ManualConditions())
        for number in 0..<2_345 {
            var one = record(.miss)
            one.url += "\(number)"
            meter.note(one)
        }
        #expect(meter.requestedURLs == (1_345..<2_345).map { "http://app.test/\($0)" })
        meter.clear()
        #expect(meter.requestedURLs == [])
    }

    @Test("nothing is lost when many threads add")
    func concurrent() {
        let meter = ExchangeMeter(conditions: ManualConditions())
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<5_000 {
                meter.note(record(thread.isMultiple(of: 2) ? .miss : .cacheHit))
                meter.note(outcome(.prepositioned))
            }
        }
        let sums = meter.counters
        #expect(sums.fromNetworkCount == 20_000 && sums.fromNetworkByteCount == 200_000)
        #expect(sums.fromDeviceCount == 20_000 && sums.fromDeviceDuration == .microseconds(5_000_000))
        #expect(sums.downloadedItemCount == 40_000 && sums.downloadedByteCount == 40_000_000)
    }

    @Test("the client counts its requests until it is told to begin anew")
    func client() async throws {
        let conditions = ManualConditions(DeviceConditions(network: .init(.wifi)))
        let rig = try ClientRig(configure: { $0.conditions = conditions }) { _ in
            .init("hello", [.cacheControl: "max-age=60"])
        }
        for _ in 0..<3 { _ = try await rig.client.data(from: rig.url("/a")) }
        while rig.client.counters.requestCount < 3 { await Task.yield() }
        let sums = rig.client.counters
        #expect(sums.fromNetworkCount == 1 && sums.fromNetworkByteCount == 5 && sums.fromNetworkDuration > .zero)
        #expect(sums.fromDeviceCount == 2 && sums.fromDeviceByteCount == 10)
        #expect(sums.networkKind == .wifi)
        rig.client.clearCounters()
        #expect(rig.client.counters == ExchangeCounters())
        await rig.client.shutDown()
    }
}
