import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of one stream, then those of another.
final class JoinedSource: ByteSource {
    private let first: ByteStream
    private let second: ByteStream
    private let isInSecond = Locked(false)

    init(_ first: ByteStream, _ second: ByteStream) {
        self.first = first
        self.second = second
    }

    func next() async throws -> Data? {
        if !isInSecond.withLock({ $0 }) {
            var iterator = first.makeAsyncIterator()
            if let chunk = try await iterator.next() { return chunk }
            isInSecond.withLock { $0 = true }
        }
        var iterator = second.makeAsyncIterator()
        return try await iterator.next()
    }

    /// Its streams end with it.
    func cancel() {}
}
