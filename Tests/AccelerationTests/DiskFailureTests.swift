import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("When the disk fails")
struct DiskFailureTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60"]
    private static let url = "http://example.com/a"
    private static let pieces = (0..<64).map { Data(repeating: UInt8($0), count: 64 << 10) }  // 4 MiB
    private static let whole = pieces.reduce(Data(), +)

    private func removeBodies(of rig: Rig) throws {
        let manager = FileManager.default
        for name in try manager.contentsOfDirectory(atPath: rig.directory.path("store")) {
            guard !name.hasPrefix("index") else { continue }
            try manager.removeItem(atPath: rig.directory.path("store/\(name)"))
        }
    }

    private func isStored(_ rig: Rig) throws -> Bool {
        try !rig.store.entries(for: #require(HTTPURL(Self.url))).isEmpty
    }

    @Test("a body that cannot be begun on the disk still reaches the caller")
    func cannotBegin() async throws {
        let rig = try Rig(inline: -1) { _ in .text("hello", Self.fresh) }
        try removeBodies(of: rig)
        let got = try await rig.get()
        #expect(got.text == "hello")
        #expect(got.record.outcome == .miss)
        #expect(try !isStored(rig))
        #expect(rig.faults.count == 1)
    }

    @Test("a body larger than its budget by its own account is not begun, and that is no fault")
    func tooLargeDeclared() async throws {
        let rig = try Rig(budget: 1_000) { _ in
            .text(String(repeating: "x", count: 2_000), [.cacheControl: "max-age=60", .contentLength: "2000"])
        }
        #expect(try await rig.get().text.count == 2_000)
        #expect(try !isStored(rig))
        #expect(rig.faults.isEmpty)
    }

    @Test("when the disk takes no more in mid-body, every reader gets the rest from memory")
    func failsMidway() async throws {
        let body = ScriptedBody()
        let rig = try Rig(budget: 1 << 20) { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let answers = [try await rig.send(), try await rig.send()]
        for piece in Self.pieces { body.push(piece) }
        body.finish()
        let bodies = try await withThrowingTaskGroup(of: Data.self) { group in
            for answer in answers { group.addTask { try await answer.body.collect() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies == [Self.whole, Self.whole])
        #expect(rig.transport.requests.count == 1)
        #expect(try !isStored(rig))
    }

    @Test("bytes that the disk lacks wait in memory for the slowest reader, a window of them at most")
    func waitsForSlowest() async throws {
        let body = ScriptedBody()
        let rig = try Rig(budget: 1 << 20) { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let slow = try await rig.send()
        let quick = try await rig.send()
        for piece in Self.pieces { body.push(piece) }
        body.finish()
        let reading = Task { try await quick.body.collect() }
        // One budget on the disk, then a window of memory beyond what the slow reader has: nothing.
        await eventually("the disk is full") { body.takenByteCount > 1 << 20 }
        for _ in 0..<1_000 { await Task.yield() }
        #expect(body.takenByteCount <= (1 << 20) + (64 << 10))
        #expect(try await slow.body.collect() == Self.whole)
        #expect(try await reading.value == Self.whole)
    }

    @Test("who comes after the disk has failed sends a request of its own")
    func doesNotJoinFailed() async throws {
        let body = ScriptedBody()
        let rig = try Rig(budget: 100_000) { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let first = try await rig.send()
        for piece in Self.pieces.prefix(3) { body.push(piece) }
        await eventually("the disk has failed") { body.takenByteCount == 3 * 65_536 }
        var iterator = first.body.makeAsyncIterator()
        for _ in 0..<3 { _ = try await iterator.next() }
        rig.transport.answer { _ in .text("own", Self.fresh) }
        #expect(try await rig.get().text == "own")
        body.finish()
        #expect(try await iterator.next() == nil)
    }

    @Test("an entry that cannot be committed was handed to the caller all the same")
    func cannotCommit() async throws {
        let body = ScriptedBody()
        let rig = try Rig(inline: -1) { _ in .init(fields: Self.fresh, body: ByteStream(body)) }
        let answer = try await rig.send()
        try removeBodies(of: rig)
        body.push("hello")
        body.finish()
        #expect(try await answer.body.collect() == Data("hello".utf8))
        #expect(await answer.record().errorCode == nil)
        #expect(try !isStored(rig))
        #expect(rig.faults.count == 1)
    }
}
