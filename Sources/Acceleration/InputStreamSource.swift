import Dispatch
public import Foundation
public import Primitives
import Transport

/// The bytes of a Foundation stream, read as they are asked for.
///
/// A stream's `read` may block, so it happens on a queue of its own, 64 KiB at a time.
public final class InputStreamSource: ByteSource, @unchecked Sendable {  // `stream` is touched on `queue` alone
    private static let chunkByteCount = 65_536

    private let stream: InputStream
    private let queue = DispatchQueue(label: "larder.input-stream")

    /// Takes over a stream that nobody else reads.
    public init(_ stream: InputStream) { self.stream = stream }

    public func next() async throws -> Data? {
        try Task.checkCancellation()
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.read() }) }
        }
    }

    public func cancel() {
        queue.async { self.stream.close() }
    }

    private func read() throws -> Data? {
        if stream.streamStatus == .notOpen { stream.open() }
        var chunk = Data(count: Self.chunkByteCount)
        let count = chunk.withUnsafeMutableBytes { buffer in
            guard let base = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return stream.read(base, maxLength: buffer.count)
        }
        guard count >= 0 else {
            throw TransportError(.requestBodyFailed, "the body stream of the request could not be read")
        }
        return count == 0 ? nil : chunk.prefix(count)
    }
}
