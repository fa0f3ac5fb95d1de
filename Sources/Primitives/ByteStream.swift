#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where the chunks of a ``ByteStream`` come from.
public protocol ByteSource: Sendable {
    /// The next chunk, never empty; `nil` at the end.
    ///
    /// Called by one consumer at a time. A source makes its producer wait while nobody asks (back-pressure).
    /// - Throws: what ended the stream early; `CancellationError` when the asking task is cancelled.
    func next() async throws -> Data?
    /// The consumer is gone: free what the stream holds. Called once or more, also after the end.
    func cancel()
}

/// A body of bytes, read once, chunk by chunk, at the consumer's pace.
///
/// Letting go of the stream before its end cancels its source.
public struct ByteStream: AsyncSequence, Sendable {
    public typealias Element = Data
    public typealias Failure = any Error

    /// Cancels the source when the last copy of the stream and its iterators is gone.
    fileprivate final class Owner: Sendable {
        let source: any ByteSource
        init(_ source: any ByteSource) { self.source = source }
        deinit { source.cancel() }
    }

    private let owner: Owner

    /// Creates a stream over a source.
    public init(_ source: some ByteSource) { owner = Owner(source) }

    /// Creates a stream of bytes already in memory, delivered as one chunk.
    public init(_ data: Data) { self.init(DataSource(data)) }

    /// A stream without bytes.
    public static var empty: ByteStream { ByteStream(Data()) }

    /// Iterates over the chunks of a stream.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let owner: Owner

        public mutating func next() async throws -> Data? { try await owner.source.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(owner: owner) }

    /// Reads to the end.
    /// - Parameter byteCountMax: the most bytes to hold in memory.
    /// - Throws: ``ByteStreamError/tooLong(byteCountMax:)`` when there is more, or what ended the stream early.
    public func collect(upTo byteCountMax: Int = .max) async throws -> Data {
        var whole = Data()
        for try await chunk in self {
            guard chunk.count <= byteCountMax - whole.count else {
                throw ByteStreamError.tooLong(byteCountMax: byteCountMax)
            }
            if whole.isEmpty { whole = chunk } else { whole.append(chunk) }
        }
        return whole
    }
}

/// What reading a ``ByteStream`` can refuse.
public enum ByteStreamError: Error, Equatable, CustomStringConvertible {
    /// The stream holds more than the caller allowed in memory.
    case tooLong(byteCountMax: Int)

    public var description: String {
        switch self {
        case .tooLong(let byteCountMax): "the body is longer than the \(byteCountMax) bytes allowed in memory"
        }
    }
}

private final class DataSource: ByteSource {
    private let data: Locked<Data?>
    init(_ data: Data) { self.data = Locked(data.isEmpty ? nil : data) }
    func next() async throws -> Data? { data.withLock { $0.take() } }
    func cancel() {}
}
