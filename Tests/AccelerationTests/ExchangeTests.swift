import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("Recording exchanges")
struct ExchangeTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]

    @Test("times are measured on the clock given: until the head, and until the body's end")
    func measures() async throws {
        let rig = try Rig { _ in .text("") }
        rig.transport.answer { [rig] _ in
            rig.time.advance(by: .milliseconds(20))
            return .text("hello", Self.fresh)
        }
        let answer = try await rig.send("http://example.com/a?token=secret")
        rig.time.advance(by: .milliseconds(30))
        let record = try await Got(answer).record
        #expect(record.firstByteMicroseconds == 20_000)
        #expect(record.totalMicroseconds == 50_000)
        #expect(record.url == "http://example.com/a")
        #expect(record.method == "GET")
        #expect(record.status == 200)
        #expect(record.bodyByteCount == 5)
        #expect(record.date == Date(timeIntervalSince1970: 1_767_225_600))
        #expect(rig.records == [record])
    }

    @Test("the gate is busy from the request to the body's end")
    func busyUntilEnd() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        for _ in 0..<2 {  // from the network, then from the store
            let answer = try await rig.send()
            #expect(rig.gate.isBusy)
            _ = try await answer.body.collect()
            #expect(!rig.gate.isBusy)
        }
        #expect(rig.records.count == 2)
    }

    @Test("letting go of a body unread ends the exchange", arguments: [false, true])
    func dropped(isStorable: Bool) async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in
            .init(fields: isStorable ? Self.fresh : [.cacheControl: "no-store"], body: ByteStream(body))
        }
        body.push("some")
        do { _ = try await rig.send() }
        #expect(!rig.gate.isBusy)
        await eventually("the record is told") { rig.records.count == 1 }
        #expect(rig.records.first?.errorCode == "cancelled")
        #expect(rig.records.first?.bodyByteCount == 0)
        await eventually("the transfer ends") { body.isCancelled }
    }

    @Test("a stored body that is taken without its stream counts as handed over")
    func takenStoredBody() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        _ = try await rig.get()
        do { #expect(try await rig.send().storedBody?.data() == Data("hello".utf8)) }
        #expect(rig.records.count == 2)
        #expect(rig.records.last?.bodyByteCount == 5)
        #expect(rig.records.last?.errorCode == nil)
        #expect(!rig.gate.isBusy)
    }

    @Test("a failure is recorded with its code and no status")
    func failed() async throws {
        let rig = try Rig { _ in throw TransportError(.timedOut, "too slow") }
        await #expect(throws: TransportError.self) { try await rig.send() }
        #expect(rig.records.map(\.outcome) == [.failed])
        #expect(rig.records.map(\.errorCode) == ["timedOut"])
        #expect(rig.records.map(\.status) == [0])
        #expect(!rig.gate.isBusy)
    }

    @Test("a tag's names stand in the record of every kind of exchange, and it hears of each end once, before others")
    func tagged() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        let ended = Locked<[ExchangeRecord]>([])
        rig.tag.withLock {
            $0 = ExchangeTag(events: ["load", "tour"]) { record in
                #expect(rig.records.count == ended.withLock { $0.count })
                ended.withLock { $0.append(record) }
            }
        }
        _ = try await rig.get()
        _ = try await rig.get()
        _ = try await rig.get()
        let request = HTTPRequest(url: try #require(HTTPURL("http://example.com/a")))
        do { _ = try #require(rig.accelerator.sendFromStore(request)) }
        rig.transport.answer { _ in throw TransportError(.timedOut, "too slow") }
        await #expect(throws: TransportError.self) { try await rig.send("http://example.com/b") }
        #expect(rig.records.map(\.events) == Array(repeating: ["load", "tour"], count: 5))
        #expect(rig.records.map(\.outcome) == [.miss, .cacheHit, .cacheHit, .cacheHit, .failed])
        #expect(ended.withLock { $0 } == rig.records)
    }

    @Test("a question to the store that the network has to answer is not tagged")
    func untagged() async throws {
        let asked = Locked(0)
        let accelerator = Accelerator(
            store: nil, transport: FakeTransport { _ in .text("") }, timekeeper: ManualTimekeeper(),
            onBegin: {
                asked.withLock { $0 += 1 }
                return nil
            })
        let request = HTTPRequest(url: try #require(HTTPURL("http://example.com/a")))
        #expect(accelerator.sendFromStore(request) == nil)
        #expect(asked.withLock { $0 } == 0)
        let answer = try await accelerator.send(request)
        #expect(try await Got(answer).record.events == nil)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("a request whose task is cancelled before it starts sends nothing")
    func cancelledBefore() async throws {
        let rig = try Rig { _ in .text("hello") }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await rig.send()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(rig.transport.requests.isEmpty)
        #expect(!rig.gate.isBusy)
    }

    @Test("reading that is cancelled in mid-body ends the exchange")
    func cancelledWhileReading() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: [.cacheControl: "no-store"], body: ByteStream(body)) }
        body.push("some")
        let task = Task { try await rig.get() }
        await eventually("the first bytes are read") { body.takenByteCount == 4 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await eventually("the record is told") { rig.records.count == 1 }
        #expect(rig.records.first?.errorCode == "cancelled")
        #expect(rig.records.first?.bodyByteCount == 4)
        #expect(!rig.gate.isBusy)
    }
}
