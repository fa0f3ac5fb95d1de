import Acceleration
import ContentStore
import Foundation
import HTTPCaching
import HTTPModel
import Primitives
import TestSupport
import Testing
import Wire

@Suite("Answering again as before")
struct RecallTests {
    private static let fields: [HTTPFields] = [
        [:], [:], ["Accept-Language": "de"], ["Accept-Language": "en"], [.ifNoneMatch: "\"1\""],
        [.cacheControl: "max-age=5"], [.cacheControl: "max-stale=10"], [.cacheControl: "no-cache"],
        [.cacheControl: "only-if-cached"], [.range: "bytes=1-2"], [.pragma: "no-cache"], ["X-Trace": "1"],
    ]
    private static let responses: [HTTPFields] = [
        [.cacheControl: "max-age=8", .eTag: "\"1\""], [.cacheControl: "max-age=3"],
        [.cacheControl: "max-age=20", .vary: "Accept-Language", .eTag: "\"1\""],
        [.cacheControl: "max-age=9", .age: "4"],
        [.cacheControl: "max-age=6", .vary: "*"],
    ]

    @Test(
        "with and without memory the answers are the same, whatever is asked when", arguments: [1, 2, 3, 4] as [UInt64])
    func sameWithoutMemory(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let rigs = try [0, 8 << 20].map { memory in try Rig(memory: memory) { _ in .text("", [:]) } }
        var recalledCount = 0
        for step in 0..<600 {
            let url = "http://example.com/\(Int.random(in: 0..<3, using: &random))"
            let asked = Self.fields.randomElement(using: &random) ?? [:]
            let told = Self.responses.randomElement(using: &random) ?? [:]
            let pause = Duration.milliseconds(Int.random(in: 0..<1_500, using: &random))
            let event = Int.random(in: 0..<30, using: &random)
            var answers: [Got] = []
            for (index, rig) in rigs.enumerated() {
                rig.time.advance(by: pause)
                rig.transport.answer { _ in .text("body \(step)", told) }
                let target = try #require(HTTPURL(url))
                if event == 0 { try rig.store.invalidate(target) }
                if event == 1 { try rig.store.remove(target) }
                let before = rig.store.remembered(for: target)?.attachment
                answers.append(try await rig.get(url, asked))
                if index == 1, before != nil, answers[1].record.outcome == .cacheHit { recalledCount += 1 }
            }
            #expect(answers[0].response == answers[1].response, "step \(step), \(url), \(asked)")
            #expect(answers[0].text == answers[1].text)
            #expect(answers[0].record.cacheStatus == answers[1].record.cacheStatus)
            #expect(answers[0].record.outcome == answers[1].record.outcome)
        }
        #expect(rigs[0].transport.requests.count == rigs[1].transport.requests.count)
        #expect(recalledCount > 40)
    }

    @Test("an answer given again is a hit with its own age, time and record")
    func records() async throws {
        let rig = try Rig { _ in .text("hello", [.cacheControl: "max-age=60"]) }
        for _ in 0..<4 {
            _ = try await rig.get("http://example.com/a?secret=1")
            rig.time.advance(by: .seconds(7))
        }
        #expect(rig.records.map(\.outcome) == [.miss, .cacheHit, .cacheHit, .cacheHit])
        #expect(rig.records.suffix(3).map(\.cacheStatus) == [53, 46, 39].map { "Larder; hit; ttl=\($0)" })
        #expect(rig.records.map(\.url) == Array(repeating: "http://example.com/a", count: 4))
        #expect(rig.records[3].date.timeIntervalSince(rig.records[0].date) == 21)
        #expect(rig.records.map(\.bodyByteCount) == [5, 5, 5, 5])
        #expect(
            try rig.store.entries(for: #require(HTTPURL("http://example.com/a?secret=1")))[0].lastUsed == rig.time.now
                - 7)
    }

    @Test("two engines on one store remember answers of their own")
    func twoEngines() async throws {
        let rig = try Rig { _ in .text("hello", [.lastModified: "Mon, 01 Dec 2025 00:00:00 GMT"]) }
        _ = try await rig.get()
        _ = try await rig.get()
        #expect(rig.records.map(\.outcome) == [.miss, .cacheHit])
        var policy = CachingPolicy()
        policy.heuristicFraction = 0
        let other = Accelerator(
            store: rig.store, transport: rig.transport, policy: policy, timekeeper: rig.time)
        let request = HTTPRequest(url: try #require(HTTPURL("http://example.com/a")))
        #expect(other.sendFromStore(request) == nil)
        #expect(rig.accelerator.sendFromStore(request) != nil)
    }
}
