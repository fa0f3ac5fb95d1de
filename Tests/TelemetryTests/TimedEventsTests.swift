import Foundation
import HTTPModel
import Primitives
import SQLiteDatabase
import TestSupport
import Testing
import Wire

@testable import Telemetry

@Suite("Timed events on the disk")
struct TimedEventsTests {
    private let directory: TemporaryDirectory
    private let clock = ManualTimekeeper()
    private let ids = Locked(0)
    private let destination: TelemetryQueue.Destination

    init() throws {
        directory = try TemporaryDirectory()
        destination = .init(
            serverURL: try #require(HTTPURL("http://plane.test/")), deviceID: "device", deviceToken: "token")
    }

    private func queue() -> TelemetryQueue {
        TelemetryQueue(configuration: .init(directory: directory.path("telemetry")), timekeeper: clock) { [ids] in
            ids.withLock { id in
                id += 1
                return "id-\(id)"
            }
        }
    }

    private func name(_ text: String) throws -> EventName { try #require(EventName(text)) }

    private func told(_ queue: TelemetryQueue) async -> [AppEvent] {
        let server = BatchServer()
        _ = await queue.upload(to: destination, over: server)
        return server.posts.flatMap(\.batch.items).compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    private let miss = ExchangeRecord(
        date: Date(timeIntervalSince1970: 0), method: "GET", url: "http://app.test/", status: 200, outcome: .miss,
        cacheStatus: "", firstByteMicroseconds: 0, totalMicroseconds: 5, bodyByteCount: 0, wireByteCount: 9)

    @Test("an event runs on over a restart, with its sums, and is told once")
    func restart() async throws {
        do {
            let queue = queue()
            let events = TimedEvents(queue: queue, timekeeper: clock)
            events.start(try name("tour"))
            try #require(events.beginExchange()).end(miss)
            await queue.close()
        }
        clock.advance(by: .seconds(90))
        do {
            let queue = queue()
            let events = TimedEvents(queue: queue, timekeeper: clock)
            #expect(events.latestName == "tour")
            try #require(events.beginExchange()).end(miss)
            let stopped = try #require(events.stop(try name("tour")))
            #expect(stopped.durationMicroseconds == 90_000_000 && stopped.latestName == "tour")
            #expect(events.stop(try name("tour")) == nil)
            let told = await told(queue)
            #expect(told.map(\.durationMicroseconds) == [90_000_000])
            #expect(told.first?.traffic?.exchangeCount == 2 && told.first?.traffic?.wireByteCount == 18)
            await queue.close()
        }
        let queue = queue()
        #expect(TimedEvents(queue: queue, timekeeper: clock).beginExchange() == nil)
        #expect(await told(queue).isEmpty)
    }

    @Test("an event that was stopped and waited when the app died is told at the next start")
    func diedWaiting() async throws {
        do {
            let queue = queue()
            let events = TimedEvents(queue: queue, timekeeper: clock)
            events.start(try name("screen"))
            _ = events.beginExchange()
            clock.advance(by: .seconds(3))
            _ = events.stop(try name("screen"))
            await queue.flush()
        }
        // The first queue may outlive its last mention by a write that is on its way.
        while !ProcessLock(path: directory.path("telemetry/events.lock")).isHeld { await Task.yield() }
        let queue = queue()
        let told = await told(queue)
        #expect(told.map(\.name) == ["screen"] && told.map(\.durationMicroseconds) == [3_000_000])
    }

    @Test("a stopped event is told after 30 seconds, whether its exchanges have ended or not")
    func patience() async throws {
        let queue = queue()
        let events = TimedEvents(queue: queue, timekeeper: clock)
        events.start(try name("screen"))
        let mark = try #require(events.beginExchange())
        #expect(events.stop(try name("screen")) != nil)
        // The queue's gathering of items sleeps too.
        await clock.waitForSleepers(2)
        #expect(await told(queue).isEmpty)
        clock.advance(by: .seconds(30))
        while queue.count == 0 { await Task.yield() }
        mark.end(miss)
        let told = await told(queue)
        #expect(told.map(\.name) == ["screen"] && told.first?.traffic == nil)
    }

    @Test("closing tells what was stopped, and leaves what runs to the next queue")
    func close() async throws {
        let first = queue()
        let events = TimedEvents(queue: first, timekeeper: clock)
        events.start(try name("stopped"))
        _ = events.beginExchange()
        _ = events.stop(try name("stopped"))
        events.start(try name("running"))
        await first.close()
        let second = queue()
        #expect(TimedEvents(queue: second, timekeeper: clock).latestName == "running")
        #expect(await told(second).map(\.name) == ["stopped"])
        withExtendedLifetime((first, events)) {}
    }

    @Test("a second queue on the directory neither sees nor spoils the events of the first")
    func twoQueues() async throws {
        let first = queue()
        let events = TimedEvents(queue: first, timekeeper: clock)
        events.start(try name("mine"))
        await first.flush()
        let second = queue()
        let others = TimedEvents(queue: second, timekeeper: clock)
        #expect(others.latestName == nil)
        others.start(try name("theirs"))
        #expect(others.stop(try name("theirs")) != nil)
        await second.close()
        await first.close()
        let third = queue()
        #expect(TimedEvents(queue: third, timekeeper: clock).latestName == "mine")
        withExtendedLifetime((first, second, events)) {}
    }

    @Test("events from many threads are told once each, with every exchange")
    func concurrent() async throws {
        let queue = queue()
        let events = TimedEvents(queue: queue, timekeeper: clock)
        let whole = try name("whole")
        events.start(whole)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            guard let name = EventName("thread \(thread)") else { return }
            for _ in 0..<100 {
                events.start(name)
                events.beginExchange()?.end(miss)
                _ = events.stop(name)
            }
        }
        _ = events.stop(whole)
        #expect(events.beginExchange() == nil)
        let told = await told(queue)
        #expect(told.count == 801)
        #expect(told.first { $0.name == "whole" }?.traffic?.exchangeCount == 800)
        #expect(told.allSatisfy { $0.name == "whole" || ($0.traffic?.exchangeCount ?? 0) >= 1 })
    }

    @Test("a queue of the first schema is taken over, with what it holds")
    func oldSchema() async throws {
        let path = directory.path("telemetry")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            let sql = """
                CREATE TABLE item (
                    id INTEGER PRIMARY KEY, batch TEXT REFERENCES batch (id), byteCount INTEGER NOT NULL,
                    payload BLOB NOT NULL
                ) STRICT;
                CREATE INDEX itemOrder ON item (batch, id, byteCount);
                CREATE TABLE batch (id TEXT PRIMARY KEY, createdAt REAL NOT NULL, losses TEXT NOT NULL) STRICT;
                CREATE TABLE loss (reason TEXT PRIMARY KEY, itemCount INTEGER NOT NULL) STRICT;
                """
            let old = try SQLiteDatabase(
                path: path + "/telemetry.sqlite", migrations: [SQLiteMigration(version: 1, sql: sql)])
            let payload = try WireCoding.encode(TelemetryItem.named("before"))
            try old.write { connection in
                _ = try connection.run(
                    "INSERT INTO item (byteCount, payload) VALUES (?, ?)", payload.count, payload)
            }
        }
        let queue = queue()
        #expect(queue.storageFailure == nil)
        TimedEvents(queue: queue, timekeeper: clock).start(try name("running"))
        #expect(await told(queue).map(\.name) == ["before"])
    }
}
