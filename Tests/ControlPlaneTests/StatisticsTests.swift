import ControlModel
import ControlPlane
import Foundation
import TestSupport
import Testing
import Wire

@testable import SQLiteRepository

@Suite("Statistics")
struct StatisticsTests {
    private static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private let directory: TemporaryDirectory
    private let repository: SQLiteRepository

    init() throws {
        directory = try TemporaryDirectory()
        repository = try SQLiteRepository(path: directory.path("server.sqlite"))
    }

    private func exchange(
        at seconds: Double, _ outcome: ExchangeRecord.Outcome, milliseconds: Int64 = 0, body: Int64 = 0,
        wire: Int64 = 0
    ) -> TelemetryItem {
        .exchange(
            ExchangeRecord(
                date: Self.start + seconds, method: "GET", url: "https://example.com/", status: 200, outcome: outcome,
                cacheStatus: "Larder; hit", firstByteMicroseconds: 0, totalMicroseconds: milliseconds * 1_000,
                bodyByteCount: body, wireByteCount: wire, segments: ["news"]))
    }

    private func store(
        _ items: [TelemetryItem], id: String = "b1", app: String = "app_1", receivedAt: Date = start,
        losses: [String: Int] = [:]
    ) async throws {
        #expect(
            try await repository.store(
                TelemetryBatch(id: id, deviceID: "dev_1", createdAt: Self.start, items: items, losses: losses),
                appID: app, receivedAt: receivedAt))
    }

    private func statistics(_ seconds: Double = 100, slices: Int = 2) async throws -> AppStatistics {
        try await repository.statistics(
            appID: "app_1", from: Self.start, to: Self.start + seconds, sliceCount: slices)
    }

    @Test("exchanges are counted by slice and outcome; the end of the span does not belong to it")
    func counts() async throws {
        try await store([
            exchange(at: 0, .miss, wire: 10), exchange(at: 49.999, .pinnedHit, body: 100),
            exchange(at: 50, .cacheHit, body: 20), exchange(at: 60, .cacheHit, body: 3),
            exchange(at: 99, .revalidated, body: 4, wire: 5), exchange(at: 99, .staleOnError, body: 5),
            exchange(at: 99, .failed, body: 1_000), exchange(at: 100, .miss), exchange(at: -1, .miss),
        ])
        try await store([exchange(at: 1, .miss)], id: "b2", app: "app_2")
        let statistics = try await statistics()
        #expect(statistics.slices.map(\.start) == [Self.start, Self.start + 50])
        #expect(statistics.slices[0].exchanges == ["miss": 1, "pinnedHit": 1])
        #expect(
            statistics.slices[1].exchanges == ["cacheHit": 2, "revalidated": 1, "staleOnError": 1, "failed": 1])
        #expect(statistics.slices.map(\.savedByteCount) == [100, 32])
        #expect(statistics.slices.map(\.wireByteCount) == [10, 5])
        #expect(statistics.total.exchanges.values.reduce(0, +) == 7)
        #expect(statistics.total.savedByteCount == 132 && statistics.total.wireByteCount == 15)
        #expect(statistics.total.start == Self.start)
    }

    @Test("medians are of hits and misses apart, over an odd and an even number")
    func medians() async throws {
        try await store([
            exchange(at: 0, .miss, milliseconds: 100), exchange(at: 1, .miss, milliseconds: 900),
            exchange(at: 2, .miss, milliseconds: 200), exchange(at: 3, .pinnedHit, milliseconds: 2),
            exchange(at: 4, .cacheHit, milliseconds: 4), exchange(at: 5, .revalidated, milliseconds: 5_000),
            exchange(at: 60, .cacheHit, milliseconds: 10),
        ])
        let statistics = try await statistics()
        #expect(statistics.slices.map(\.missMilliseconds) == [200, nil])
        #expect(statistics.slices.map(\.hitMilliseconds) == [3, 10])
        #expect(statistics.total.missMilliseconds == 200 && statistics.total.hitMilliseconds == 4)
        // Each hit against the median miss of the span.
        #expect(statistics.slices.map(\.savedMilliseconds) == [198 + 196, 190])
        #expect(statistics.total.savedMilliseconds == 584)
    }

    @Test("a median is exact for few values and close for very many, in bounded memory")
    func sampledMedian() {
        func median(_ values: some Sequence<Int>) -> Double? {
            var sample = MedianSample()
            for value in values { sample.add(Int64(value)) }
            return sample.median
        }
        #expect(median([]) == nil)
        #expect(median([5]) == 5)
        #expect(median([9, 1, 5]) == 5)
        #expect(median([9, 1, 5, 6]) == 5.5)
        let countMax = MedianSample().countMax
        #expect(median((0..<countMax).reversed()) == Double(countMax - 1) / 2)
        // 0 to 999,999 in an order without pattern.
        let many = median((0..<1_000_000).lazy.map { $0 * 7_919 % 1_000_000 })
        #expect(many.map { abs($0 - 500_000) < 5_000 } == true)
    }

    @Test("a percentile is the least value that so many of a hundred stay within")
    func percentiles() {
        func percentile(_ values: some Sequence<Int64>) -> Int64? {
            var sample = MedianSample(countMax: 1_000)
            for value in values { sample.add(value) }
            return sample.percentile(90)
        }
        #expect(percentile([]) == nil)
        #expect(percentile([7]) == 7)
        #expect(percentile((1...10).reversed()) == 9)
        #expect(percentile(1...11) == 10)
        // Sampled: of 0 to 99,999 every hundredth or so is kept.
        #expect(percentile(0..<100_000).map { abs($0 - 90_000) < 500 } == true)
    }

    @Test("without any miss no time is said to be saved")
    func noMisses() async throws {
        try await store([exchange(at: 0, .pinnedHit, milliseconds: 2)])
        let total = try await statistics().total
        #expect(total.savedMilliseconds == 0 && total.missMilliseconds == nil && total.hitMilliseconds == 2)
    }

    @Test("outcomes, events and losses are summed up by name")
    func others() async throws {
        func outcome(_ outcome: ItemOutcome.Outcome, _ bytes: Int64) -> TelemetryItem {
            .outcome(
                ItemOutcome(
                    segment: "news", version: 1, url: "https://example.com/", outcome: outcome, byteCount: bytes,
                    date: Self.start))
        }
        let event = TelemetryItem.event(AppEvent(name: "opened", date: Self.start, durationMicroseconds: 5))
        try await store(
            [outcome(.prepositioned, 10), outcome(.prepositioned, 20), outcome(.used, 10), event, event],
            losses: ["queueFull": 3])
        try await store([], id: "b2", losses: ["queueFull": 4, "unreadable": 1])
        let statistics = try await statistics()
        #expect(
            statistics.outcomes == [
                "prepositioned": .init(count: 2, byteCount: 30), "used": .init(count: 1, byteCount: 10),
            ])
        #expect(statistics.events == ["opened": 2])
        #expect(statistics.losses == ["queueFull": 7, "unreadable": 1])
    }

    @Test("numbers and dates that a broken device makes up spoil nothing")
    func implausible() async throws {
        let far = ExchangeRecord(
            date: .distantFuture, method: "GET", url: String(repeating: "u", count: 10_000), status: .max,
            outcome: .cacheHit, cacheStatus: "", firstByteMicroseconds: .min, totalMicroseconds: .max,
            bodyByteCount: .max, wireByteCount: -5)
        var near = far
        near.date = Self.start
        var made = far
        made.date = Date(timeIntervalSince1970: 1e30)
        try await store(
            [.exchange(far), .exchange(near), .exchange(near), .exchange(made)], losses: ["made up": .max])
        let total = try await statistics().total
        #expect(total.exchanges == ["cacheHit": 2])
        #expect(total.savedByteCount == 1 << 43 && total.wireByteCount == 0)
    }

    @Test("only the newest progress of a device and segment counts, in whatever order it comes")
    func progress() async throws {
        func progress(_ ready: Int, at seconds: Double, segment: String = "news") -> TelemetryItem {
            .progress(
                SegmentProgress(
                    segment: segment, version: 1, itemsReady: ready, itemsFailed: 0, itemsTotal: 9, isActive: false,
                    date: Self.start + seconds))
        }
        try await store([progress(5, at: 10), progress(7, at: 20), progress(1, at: 0)])
        try await store([progress(6, at: 15), progress(2, at: 30, segment: "sport")], id: "b2")
        let found = try await repository.progress(appID: "app_1")
        #expect(found.map(\.deviceID) == ["dev_1", "dev_1"])
        #expect(found.map(\.progress.segment) == ["sport", "news"])
        #expect(found.map(\.progress.itemsReady) == [2, 7])
    }

    @Test("a batch is stored once for its device, and two devices may use the same id")
    func batchIDs() async throws {
        var batch = TelemetryBatch(
            id: "b", deviceID: "dev_1", createdAt: Self.start, items: [exchange(at: 1, .miss)], losses: [:])
        #expect(try await repository.store(batch, appID: "app_1", receivedAt: Self.start))
        #expect(try await !repository.store(batch, appID: "app_1", receivedAt: Self.start))
        batch.deviceID = "dev_2"
        #expect(try await repository.store(batch, appID: "app_1", receivedAt: Self.start))
        #expect(try await statistics().total.exchanges == ["miss": 2])
    }

    @Test("what was received before a date is forgotten with all that came with it")
    func retention() async throws {
        for index in 0..<120 {
            try await store(
                [exchange(at: 1, .miss), .event(AppEvent(name: "old", date: Self.start))], id: "old\(index)",
                receivedAt: Self.start, losses: ["old": 1])
        }
        func progress(_ segment: String, at seconds: Double) -> TelemetryItem {
            .progress(
                SegmentProgress(
                    segment: segment, version: 1, itemsReady: 1, itemsFailed: 0, itemsTotal: 1, isActive: true,
                    date: Self.start + seconds))
        }
        try await store(
            [exchange(at: 1, .cacheHit), progress("old", at: 9), progress("new", at: 10)], id: "new",
            receivedAt: Self.start + 10)
        try await repository.removeTelemetry(before: Self.start + 10)
        #expect(try await repository.progress(appID: "app_1").map(\.progress.segment) == ["new"])
        let statistics = try await statistics()
        #expect(statistics.total.exchanges == ["cacheHit": 1])
        #expect(statistics.events.isEmpty && statistics.losses.isEmpty)
    }

    @Test("the control plane forgets by itself, at its start and every hour")
    func housekeeping() async throws {
        let timekeeper = ManualTimekeeper(now: Self.start)
        var configuration = ControlPlane.Configuration()
        configuration.telemetryRetentionDays = 1
        try await store([exchange(at: 1, .miss)], receivedAt: Self.start - 86_401)
        try await store([exchange(at: 1, .cacheHit)], id: "b2", receivedAt: Self.start - 86_400 + 3_599)
        let plane = try await ControlPlane(
            configuration: configuration, repository: repository, transport: ScriptedOrigin(),
            timekeeper: timekeeper)
        await timekeeper.waitForSleepers()
        #expect(try await statistics().total.exchanges == ["cacheHit": 1])
        timekeeper.advance(by: .seconds(3_600))
        await timekeeper.waitForSleepers()
        #expect(try await statistics().total.exchanges == [:])
        await plane.shutDown()
    }
}
