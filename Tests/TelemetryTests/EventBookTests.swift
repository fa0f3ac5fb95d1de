import Foundation
import TestSupport
import Testing
import Wire

@testable import Telemetry

private let noon = Date(timeIntervalSince1970: 1_767_225_600)

private func record(
    _ outcome: ExchangeRecord.Outcome, wire: Int64 = 100, microseconds: Int64 = 1_000
) -> ExchangeRecord {
    ExchangeRecord(
        date: noon, method: "GET", url: "http://app.test/", status: 200, outcome: outcome, cacheStatus: "",
        firstByteMicroseconds: 0, totalMicroseconds: microseconds, bodyByteCount: 10, wireByteCount: wire)
}

@Suite("The book of timed events")
struct EventBookTests {
    private func start(_ book: inout EventBook, _ name: String, id: String? = nil, at seconds: Int = 0) {
        _ = book.start(name, id: id ?? name, now: noon + Double(seconds), uptime: .seconds(seconds))
    }

    private func stop(_ book: inout EventBook, _ name: String, at seconds: Int) -> AppEvent? {
        book.stop(name, now: noon + Double(seconds), uptime: .seconds(seconds))?.changes.told.first
    }

    @Test("events end by name, the last started first; others run on")
    func nested() {
        var book = EventBook()
        start(&book, "load", id: "1", at: 0)
        start(&book, "load", id: "2", at: 1)
        start(&book, "scroll", at: 1)
        #expect(stop(&book, "load", at: 3)?.durationMicroseconds == 2_000_000)
        let first = stop(&book, "load", at: 3)
        #expect(first?.durationMicroseconds == 3_000_000)
        #expect(first?.date == noon)
        #expect(book.stop("load", now: noon, uptime: .zero) == nil)
        #expect(stop(&book, "scroll", at: 3)?.name == "scroll")
        #expect(book.runningCount == 0)
    }

    @Test("the oldest event gives way at the bound, and is no longer kept")
    func bound() {
        var book = EventBook()
        for index in 0..<EventBook.countMax { start(&book, "\(index)") }
        let changes = book.start("last", id: "last", now: noon, uptime: .zero)
        #expect(changes.kept["0"] == .some(nil))
        #expect(changes.kept["last"] == StoredEvent(id: "last", name: "last", date: noon))
        #expect(stop(&book, "0", at: 1) == nil)
        #expect(stop(&book, "1", at: 1) != nil)
        #expect(stop(&book, "last", at: 1) != nil)
    }

    @Test("an exchange is marked with the names that run as it begins, each once, in order")
    func marks() {
        var book = EventBook()
        #expect(book.begin() == nil)
        for name in ["b", "a", "b"] { start(&book, name, id: name + "\(book.runningCount)") }
        #expect(book.begin()?.names == ["a", "b"])
        _ = stop(&book, "a", at: 1)
        #expect(book.begin()?.names == ["b"])
        for index in 0..<40 { start(&book, "c\(index)") }
        #expect(book.begin()?.names == (8..<40).map { "c\($0)" }.sorted())
    }

    @Test("the sum has the exchanges that began while the event ran, and no other")
    func sums() throws {
        var book = EventBook()
        start(&book, "screen")
        let outcomes: [ExchangeRecord.Outcome] = [.pinnedHit, .cacheHit, .revalidated, .staleOnError, .miss, .failed]
        for outcome in outcomes {
            let begun = book.begin()
            _ = book.end(try #require(begun), record(outcome))
        }
        let told = stop(&book, "screen", at: 1)
        var sum = EventTraffic()
        (sum.exchangeCount, sum.fromDeviceCount, sum.failedCount) = (6, 4, 1)
        (sum.wireByteCount, sum.totalMicroseconds) = (600, 6_000)
        #expect(told?.traffic == sum)
        start(&book, "next")
        #expect(stop(&book, "next", at: 1)?.traffic == nil)
    }

    @Test("a stopped event waits for the exchanges that began in it, and only for those")
    func waits() throws {
        var book = EventBook()
        start(&book, "screen")
        let begun = (book.begin(), book.begin())
        let early = try #require(begun.0), late = try #require(begun.1)
        let stopped = book.stop("screen", now: noon + 2, uptime: .seconds(2))
        #expect(stopped?.changes.told.isEmpty == true)
        #expect(stopped?.changes.kept["screen"]??.durationMicroseconds == 2_000_000)
        #expect(book.begin() == nil)
        let first = book.end(early, record(.miss, wire: 1))
        #expect(first.told.isEmpty && first.kept["screen"]??.traffic.exchangeCount == 1)
        let second = book.end(late, record(.miss, wire: 2))
        #expect(second.kept["screen"] == .some(nil))
        #expect(second.told.map(\.traffic?.wireByteCount) == [3])
        #expect(second.told.map(\.durationMicroseconds) == [2_000_000])
        #expect(book.settleAll().isEmpty)
    }

    @Test("settling tells a waiting event as it stands; what ends later changes nothing")
    func settles() throws {
        var book = EventBook()
        start(&book, "screen")
        let begun = book.begin()
        let mark = try #require(begun)
        _ = book.stop("screen", now: noon, uptime: .seconds(1))
        #expect(book.settle("another").isEmpty)
        let settled = book.settle("screen")
        #expect(settled.told.map(\.name) == ["screen"] && settled.kept["screen"] == .some(nil))
        #expect(book.end(mark, record(.miss)).isEmpty)
        #expect(book.settle("screen").isEmpty)
    }

    @Test("what an earlier run left runs on by the wall clock, and what had been stopped is told")
    func restores() {
        var book = EventBook()
        var left = [
            StoredEvent(id: "1", name: "tour", date: noon - 60), StoredEvent(id: "2", name: "tour", date: noon - 30),
            StoredEvent(id: "3", name: "old", date: noon - 8 * 86_400),
            StoredEvent(id: "4", name: "stopped", date: noon - 10, durationMicroseconds: 5),
            StoredEvent(id: "5", name: "later", date: noon + 600),
        ]
        left[1].traffic.exchangeCount = 7
        let changes = book.restore(left.reversed(), now: noon)
        #expect(changes.told.map(\.name) == ["stopped"])
        #expect(Set(changes.kept.keys) == ["3", "4"] && changes.kept.values.allSatisfy { $0 == nil })
        #expect(book.begin()?.names == ["later", "tour"])
        let inner = book.stop("tour", now: noon, uptime: .seconds(999))?.stopped
        #expect(inner?.durationMicroseconds == 30_000_000 && inner?.traffic.exchangeCount == 7)
        #expect(book.stop("tour", now: noon, uptime: .zero)?.stopped.durationMicroseconds == 60_000_000)
        // The wall clock was set back: no time, and never less.
        #expect(book.stop("later", now: noon, uptime: .zero)?.stopped.durationMicroseconds == 0)
    }

    @Test("long random histories: kept is what has been started and not told, and the sums are right")
    func histories() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            var book = EventBook()
            var kept: [String: StoredEvent] = [:]
            var open: [(mark: EventBook.Mark, ids: Set<String>)] = []
            var running: [String: String] = [:]
            var expected: [String: Int] = [:]
            var counted: [String: Int] = [:]
            func apply(_ changes: EventChanges) {
                for (id, event) in changes.kept {
                    if event == nil, let old = kept[id] { counted[id] = old.traffic.exchangeCount }
                    kept[id] = event
                }
                for event in changes.told { counted[event.name] = event.traffic?.exchangeCount ?? 0 }
            }
            for step in 0..<200 {
                switch Int.random(in: 0..<4, using: &random) {
                case 0:
                    let id = "\(step)"
                    apply(book.start(id, id: id, now: noon, uptime: .seconds(step)))
                    (running[id], expected[id]) = (id, 0)
                case 1:
                    guard let id = running.keys.sorted().randomElement(using: &random) else { continue }
                    running[id] = nil
                    let stopped = book.stop(id, now: noon, uptime: .seconds(step))
                    apply(try #require(stopped).changes)
                case 2:
                    guard let mark = book.begin() else { continue }
                    open.append((mark, Set(running.keys)))
                default:
                    guard !open.isEmpty else { continue }
                    let (mark, ids) = open.remove(at: Int.random(in: 0..<open.count, using: &random))
                    for id in ids { expected[id, default: 0] += 1 }
                    apply(book.end(mark, record(.miss)))
                }
            }
            for (mark, ids) in open {
                for id in ids { expected[id, default: 0] += 1 }
                apply(book.end(mark, record(.miss)))
            }
            for id in running.keys {
                let stopped = book.stop(id, now: noon, uptime: .zero)
                apply(try #require(stopped).changes)
            }
            #expect(kept.isEmpty && book.settleAll().isEmpty, "seed \(seed)")
            #expect(counted == expected, "seed \(seed)")
        }
    }
}
