import HTTPModel
import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The bytes of a request body on their way to libcurl: one chunk at hand, the next one being fetched.
///
/// The source is not asked before libcurl wants the first byte, so that a request that never got a connection has not
/// used up its stream.
final class UploadFeed: Sendable {
    /// What a read gave.
    enum Read {
        case bytes(Int)
        /// Nothing yet; `wake` will be called.
        case wait
        case end
        case failed
    }

    private struct State {
        var chunk = Data()
        var isFetching = false
        var isStopped = false
        var hasEnded = false
        var error: (any Error)?
        var readCount: Int64 = 0
        var fetchedCount: Int64 = 0
        var fetch: Task<Void, Never>?
        var wake: (@Sendable () -> Void)?
        /// Let go as soon as the transfer is over.
        var stream: ByteStream?
    }

    private let whole: Data?
    /// How long the body is; `nil` when only its end will tell.
    let byteCount: Int64?
    private let state: Locked<State>

    /// A feed of bytes in memory, which can be sent again.
    init(_ data: Data) {
        whole = data
        byteCount = Int64(data.count)
        state = Locked(State(chunk: data, hasEnded: true, fetchedCount: Int64(data.count)))
    }

    /// A feed of a stream, which can be sent once.
    init(_ stream: ByteStream, byteCount: Int64?) {
        whole = nil
        self.byteCount = byteCount
        state = Locked(State(stream: stream))
    }

    /// The feed for a request: `nil` for a method that goes without a body. Opens the file when there is one.
    @concurrent static func make(for request: TransportRequest) async throws(TransportError) -> UploadFeed? {
        switch request.body {
        case .data(let data): return UploadFeed(data)
        case .file(let path):
            let source = try FileByteSource(path: path)
            return UploadFeed(ByteStream(source), byteCount: source.byteCount)
        case .stream(let stream, let byteCount):
            let stated = request.request.fields[.contentLength].flatMap(Int64.init)
            return UploadFeed(stream, byteCount: byteCount ?? stated)
        case nil:
            // These say by a length of zero that there is nothing (RFC 9110, section 8.6).
            return [.post, .put, .patch].contains(request.request.method) ? UploadFeed(Data()) : nil
        }
    }

    /// What made the body fail, for the error message.
    var failure: (any Error)? { state.withLock { $0.error } }

    /// Copies bytes to libcurl's buffer. Loop thread; never blocks.
    /// - Parameter wake: called once, from any thread, when there is more after a read that had to wait.
    func read(into buffer: UnsafeMutableRawBufferPointer, wake: @escaping @Sendable () -> Void) -> Read {
        let (result, fetches) = state.withLock { state -> (Read, Bool) in
            if state.error != nil || state.isStopped { return (.failed, false) }
            if state.chunk.isEmpty {
                if state.hasEnded { return (.end, false) }
                state.wake = wake
                defer { state.isFetching = true }
                return (.wait, !state.isFetching)
            }
            let count = min(buffer.count, state.chunk.count)
            state.chunk.copyBytes(to: buffer, count: count)
            state.chunk = state.chunk.dropFirst(count)
            state.readCount += Int64(count)
            let fetches = state.chunk.isEmpty && !state.hasEnded && !state.isFetching
            if fetches { state.isFetching = true }
            return (.bytes(count), fetches)
        }
        if fetches { fetchNext() }
        return result
    }

    /// Starts over, for a connection that died before it took the request; `false` when the body cannot be had again.
    func rewind() -> Bool {
        if let whole {
            state.withLock { state in
                state.chunk = whole
                state.readCount = 0
            }
            return true
        }
        return state.withLock { $0.readCount == 0 }
    }

    /// Nobody reads any more: the source is let go.
    func stop() {
        let fetch = state.withLock { state in
            state.isStopped = true
            state.chunk = Data()
            state.wake = nil
            state.stream = nil
            return state.fetch.take()
        }
        fetch?.cancel()
    }

    private func fetchNext() {
        guard let stream = state.withLock({ $0.stream }) else { return }
        let task = Task { [weak self] in
            var iterator = stream.makeAsyncIterator()
            let result: Result<Data?, any Error>
            do { result = .success(try await iterator.next()) } catch { result = .failure(error) }
            self?.took(result)
        }
        let isStopped = state.withLock { state in
            if state.isFetching { state.fetch = task }
            return state.isStopped
        }
        if isStopped { task.cancel() }
    }

    private func took(_ result: Result<Data?, any Error>) {
        let wake = state.withLock { state in
            state.isFetching = false
            state.fetch = nil
            switch result {
            case .success(let chunk?):
                state.chunk = chunk
                state.fetchedCount += Int64(chunk.count)
                if let byteCount, state.fetchedCount > byteCount {
                    state.error = TransportError(.requestBodyFailed, "the body is longer than \(byteCount) bytes")
                }
            case .success(nil):
                state.hasEnded = true
                if let byteCount, state.fetchedCount < byteCount {
                    state.error = TransportError(.requestBodyFailed, "the body ended before \(byteCount) bytes")
                }
            case .failure(let error): state.error = error
            }
            return state.wake.take()
        }
        wake?()
    }
}
