import Foundation
import Primitives
import Testing

@Suite struct ByteStreamTests {
    private struct Broken: Error, Equatable {}

    /// Hands out its chunks, then ends or breaks; counts what was asked of it.
    private final class ScriptedSource: ByteSource {
        private let state: Locked<(chunks: [Data], failure: Broken?, cancels: Int, asks: Int)>

        init(_ chunks: [String], failure: Broken? = nil) {
            state = Locked((chunks.map { Data($0.utf8) }, failure, 0, 0))
        }

        var cancels: Int { state.withLock { $0.cancels } }
        var asks: Int { state.withLock { $0.asks } }

        func next() async throws -> Data? {
            try state.withLock { state -> Data? in
                state.asks += 1
                if !state.chunks.isEmpty { return state.chunks.removeFirst() }
                if let failure = state.failure { throw failure }
                return nil
            }
        }

        func cancel() { state.withLock { $0.cancels += 1 } }
    }

    @Test("gives its chunks in order, once")
    func order() async throws {
        let stream = ByteStream(ScriptedSource(["a", "b", "c"]))
        var texts: [String] = []
        for try await chunk in stream { texts.append(String(decoding: chunk, as: UTF8.self)) }
        #expect(texts == ["a", "b", "c"])
        for try await chunk in stream { Issue.record("read twice: \(chunk)") }
    }

    @Test("collects all, up to what is allowed in memory")
    func collects() async throws {
        #expect(try await ByteStream(ScriptedSource(["ab", "cd", "e"])).collect() == Data("abcde".utf8))
        #expect(try await ByteStream(ScriptedSource(["ab", "cd"])).collect(upTo: 4) == Data("abcd".utf8))
        #expect(try await ByteStream.empty.collect(upTo: 0).isEmpty)
        let source = ScriptedSource(["ab", "cd", "ef"])
        await #expect(throws: ByteStreamError.tooLong(byteCountMax: 3)) {
            try await ByteStream(source).collect(upTo: 3)
        }
        #expect(source.asks == 2)
        #expect(
            "\(ByteStreamError.tooLong(byteCountMax: 3))" == "the body is longer than the 3 bytes allowed in memory")
    }

    @Test("passes on what ended it early")
    func failure() async {
        let source = ScriptedSource(["ab"], failure: Broken())
        await #expect(throws: Broken()) { try await ByteStream(source).collect() }
    }

    @Test("cancels its source once the last copy and the last iterator are gone, and not before")
    func cancellation() async throws {
        let source = ScriptedSource(["a", "b"])
        var iterator: ByteStream.AsyncIterator?
        do {
            let stream = ByteStream(source)
            iterator = stream.makeAsyncIterator()
            #expect(source.cancels == 0)
        }
        #expect(source.cancels == 0)
        #expect(try await iterator?.next() == Data("a".utf8))
        iterator = nil
        #expect(source.cancels == 1)
    }

    @Test("gives bytes in memory as one chunk, and none when there are none")
    func memory() async throws {
        var iterator = ByteStream(Data("abc".utf8)).makeAsyncIterator()
        #expect(try await iterator.next() == Data("abc".utf8))
        #expect(try await iterator.next() == nil)
        var empty = ByteStream(Data()).makeAsyncIterator()
        #expect(try await empty.next() == nil)
    }
}
