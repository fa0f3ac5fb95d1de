import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("Sharing one fetch")
struct CoalescingTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]
    private static let url = "http://example.com/a"

    private func entries(_ rig: Rig) throws -> [StoreEntry] { try rig.store.entries(for: #require(HTTPURL(Self.url))) }

    @Test("identical requests in flight share one fetch, and only one of them has bytes on the wire")
    func sharesFetch() async throws {
        let door = Door()
        let rig = try Rig { _ in
            await door.pass()
            return .text("shared", Self.fresh)
        }
        let got = try await withThrowingTaskGroup(of: Got.self) { group in
            for _ in 0..<50 { group.addTask { try await rig.get() } }
            await eventually("the fetch begins") { rig.transport.requests.count == 1 }
            door.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(rig.transport.requests.count == 1)
        #expect(got.count == 50)
        #expect(got.allSatisfy { $0.text == "shared" })
        #expect(got.reduce(0) { $0 + $1.record.wireByteCount } == 1_000)
        #expect(rig.records.count == 50)
        #expect(try entries(rig).count == 1)
    }

    @Test("requests that differ in any field are fetched each for itself")
    func separatesFields() async throws {
        let door = Door()
        let rig = try Rig { request in
            await door.pass()
            return .text(request.request.fields["X-User"] ?? "", [.cacheControl: "no-store"])
        }
        async let first = rig.get(Self.url, ["X-User": "one"])
        async let second = rig.get(Self.url, ["X-User": "two"])
        await eventually("both go out") { rig.transport.requests.count == 2 }
        door.open()
        #expect(try await first.text == "one")
        #expect(try await second.text == "two")
    }

    @Test("a response that may not be stored answers one request; the others send their own")
    func separatesUnstorable() async throws {
        let door = Door()
        let count = Locked(0)
        let rig = try Rig { _ in
            await door.pass()
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .text("private \(number)", [.cacheControl: "no-store"])
        }
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<5 { group.addTask { try await rig.get().text } }
            await eventually("the fetch begins") { rig.transport.requests.count == 1 }
            door.open()
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(texts == Set((1...5).map { "private \($0)" }))
        #expect(rig.records.allSatisfy { $0.outcome == .passedThrough && $0.wireByteCount == 1_000 })
    }

    @Test("a reader that does not read holds nobody up")
    func slowReader() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let slow = try await rig.send()
        let quick = try await rig.send()
        #expect(rig.transport.requests.count == 1)
        let pieces = (0..<128).map { Data(repeating: UInt8($0), count: 64 << 10) }  // 8 MiB
        for piece in pieces { body.push(piece) }
        body.finish()
        let whole = pieces.reduce(Data(), +)
        #expect(try await quick.body.collect() == whole)
        #expect(try entries(rig).first?.bodyByteCount == 8 << 20)
        #expect(try await slow.body.collect() == whole)
    }

    @Test("the network waits for the only reader")
    func backPressure() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let answer = try await rig.send()
        for _ in 0..<128 { body.push(Data(count: 64 << 10)) }
        body.finish()
        await eventually("a window is read") { body.takenByteCount >= 1 << 20 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(body.takenByteCount <= (1 << 20) + (64 << 10))
        #expect(try await answer.body.collect().count == 8 << 20)
    }

    @Test("who comes when half the body is there reads it from the start")
    func lateReader() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let first = try await rig.send()
        body.push("one ")
        var iterator = first.body.makeAsyncIterator()
        #expect(try await iterator.next() == Data("one ".utf8))
        let second = try await rig.send()
        body.push("two")
        body.finish()
        #expect(try await second.body.collect() == Data("one two".utf8))
        #expect(try await iterator.next() == Data("two".utf8))
        #expect(try await iterator.next() == nil)
        #expect(rig.transport.requests.count == 1)
    }

    @Test("who comes after the head of a response that needs validation each time sends its own request")
    func lateReaderOfNoCache() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: [.cacheControl: "no-cache", .eTag: "\"1\""], body: ByteStream(body)) }
        let first = try await rig.send()
        rig.transport.answer { _ in .text("two", [.cacheControl: "no-cache", .eTag: "\"2\""]) }
        #expect(try await rig.get().text == "two")
        body.push("one")
        body.finish()
        #expect(try await first.body.collect() == Data("one".utf8))
        #expect(rig.transport.requests.count == 2)
    }

    @Test("the first reader's cancellation harms nobody else, and the entry is stored")
    func leaderLeaves() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let leader = Task { try await rig.get() }
        await eventually("the fetch begins") { rig.transport.requests.count == 1 }
        let follower = try await rig.send()
        body.push("one ")
        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        body.push("two")
        body.finish()
        #expect(try await follower.body.collect() == Data("one two".utf8))
        #expect(!body.isCancelled)
        #expect(try entries(rig).count == 1)
        await eventually("both records are told") { rig.records.count == 2 }
        #expect(Set(rig.records.map(\.errorCode)) == [nil, "cancelled"])
    }

    @Test("a fetch that nobody reads any more ends and leaves nothing")
    func everyoneLeaves() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        do {
            let first = try await rig.send()
            let second = try await rig.send()
            body.push("one ")
            var iterator = first.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("one ".utf8))
            _ = second
        }
        await eventually("the transfer ends") { body.isCancelled }
        await eventually("both records are told") { rig.records.count == 2 }
        #expect(rig.records.allSatisfy { $0.errorCode == "cancelled" })
        #expect(!rig.gate.isBusy)
        #expect(try entries(rig).isEmpty)
        rig.transport.answer { _ in .text("anew", Self.fresh) }
        #expect(try await rig.get().text == "anew")
    }

    @Test("cancelling while the head is awaited returns at once and ends the fetch")
    func cancelBeforeHead() async throws {
        let rig = try Rig { _ in
            try await Task.sleep(for: .seconds(3_600))  // ends by cancellation
            return .text("never")
        }
        let task = Task { try await rig.get() }
        await eventually("the fetch begins") { rig.transport.requests.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(rig.records.map(\.errorCode) == ["cancelled"])
        #expect(!rig.gate.isBusy)
        rig.transport.answer { _ in .text("later", Self.fresh) }
        #expect(try await rig.get().text == "later")
    }

    @Test("a transfer that breaks off gives every reader what came and then the error, and stores nothing")
    func breaksOff() async throws {
        let body = ScriptedBody()
        let rig = try Rig { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let answers = [try await rig.send(), try await rig.send()]
        body.push("half")
        body.fail(TransportError(.bodyTruncated, "gone"))
        for answer in answers {
            var iterator = answer.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("half".utf8))
            let error = await #expect(throws: TransportError.self) { try await iterator.next() }
            #expect(error?.code == .bodyTruncated)
            let record = await answer.record()
            #expect(record.outcome == .failed)
            #expect(record.errorCode == "bodyTruncated")
            #expect(record.bodyByteCount == 4)
        }
        #expect(try entries(rig).isEmpty)
    }

    @Test("a failure before the head reaches everyone who waits")
    func sharesFailure() async throws {
        let door = Door()
        let rig = try Rig { _ in
            await door.pass()
            throw TransportError(.connectionFailed, "refused")
        }
        let tasks = (0..<5).map { _ in Task { try await rig.get() } }
        await eventually("the fetch begins") { rig.transport.requests.count == 1 }
        await eventually("everyone waits") { rig.gate.isBusy }
        door.open()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .connectionFailed)
        }
        #expect(!rig.gate.isBusy)
        #expect(rig.records.allSatisfy { $0.status == 0 && $0.outcome == .failed })
    }

    @Test("many readers that come and go at random all get whole bodies")
    func storm() async throws {
        let rig = try Rig { request in
            let body = ScriptedBody()
            for index in 0..<20 { body.push(Data(repeating: UInt8(index), count: 3_000)) }
            body.finish()
            return .init(fields: [.cacheControl: "max-age=0", .eTag: "\"1\""], body: ByteStream(body))
        }
        let expected = (0..<20).reduce(Data()) { $0 + Data(repeating: UInt8($1), count: 3_000) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<400 {
                group.addTask {
                    let answer = try await rig.send("http://example.com/\(index % 7)")
                    if index % 3 == 0 {
                        var iterator = answer.body.makeAsyncIterator()
                        _ = try await iterator.next()
                        return true
                    }
                    return try await answer.body.collect() == expected
                }
            }
            for try await isWhole in group { #expect(isWhole) }
        }
        await eventually("every record is told") { rig.records.count == 400 }
        #expect(!rig.gate.isBusy)
    }
}
