import CMicroHTTPD
import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Carries a stream to libmicrohttpd: holds one chunk, and suspends the connection while there is none.
///
/// A client that goes away while its connection is suspended is noticed with the stream's next chunk.
final class ResponsePump: @unchecked Sendable {  // `connection` is used only while suspended or from its own thread
    private struct State {
        var chunk = Data()
        var isSuspended = false
        var isEnded = false
        var failure: String?
        var sentByteCount: Int64 = 0
        /// Waits until the chunk is sent.
        var producer: CheckedContinuation<Bool, Never>?
        var task: Task<Void, Never>?
    }

    private let connection: OpaquePointer
    private let stream: ByteStream
    private let state = Locked(State())

    init(_ stream: ByteStream, connection: OpaquePointer) {
        self.stream = stream
        self.connection = connection
    }

    var sentByteCount: Int64 { state.withLock { $0.sentByteCount } }
    var failure: String? { state.withLock { $0.failure } }

    // MARK: - libmicrohttpd's side

    /// Copies what is there; with nothing there suspends the connection and returns 0.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        if let result = take(into: buffer) { return result }
        // Suspended before the state says so: whoever sees the flag may resume at once.
        MHD_suspend_connection(connection)
        let (mayGoOn, mustStart) = state.withLock { state in
            state.isSuspended = state.chunk.isEmpty && !state.isEnded
            return (!state.isSuspended, state.isSuspended && state.task == nil)
        }
        if mayGoOn { MHD_resume_connection(connection) }
        if mustStart { start() }
        return 0
    }

    /// libmicrohttpd has let go of the answer.
    func cancel() {
        end(failure: nil)
        state.withLock { $0.task }?.cancel()
    }

    /// Ends the stream early, with the client told so by a broken connection.
    func abort() {
        end(failure: "the server was stopped")
        state.withLock { $0.task }?.cancel()
    }

    /// - Returns: `nil` when there is nothing yet.
    private func take(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let (result, producer) = state.withLock { state -> (Int?, CheckedContinuation<Bool, Never>?) in
            guard !state.chunk.isEmpty else {
                guard state.isEnded else { return (nil, nil) }
                return (state.failure == nil ? cmhd_end_of_stream : cmhd_end_with_error, nil)
            }
            let count = min(buffer.count, state.chunk.count)
            state.chunk.copyBytes(to: buffer, count: count)
            state.chunk = state.chunk.dropFirst(count)
            state.sentByteCount += Int64(count)
            return (count, state.chunk.isEmpty ? state.producer.take() : nil)
        }
        producer?.resume(returning: true)
        return result
    }

    // MARK: - The stream's side

    private func start() {
        let task = Task {
            do {
                for try await chunk in stream {
                    guard await offer(chunk) else { return }
                }
                end(failure: nil)
            } catch {
                end(failure: String(describing: error))
            }
        }
        let isOver = state.withLock { state in
            state.task = task
            return state.isEnded
        }
        if isOver { task.cancel() }
    }

    /// Hands over a chunk and waits until it is sent.
    /// - Returns: `false` when nobody wants more.
    private func offer(_ chunk: Data) async -> Bool {
        await withCheckedContinuation { continuation in
            let (isRefused, mustResume) = state.withLock { state in
                if state.isEnded { return (true, false) }
                state.chunk = chunk
                state.producer = continuation
                defer { state.isSuspended = false }
                return (false, state.isSuspended)
            }
            if isRefused { continuation.resume(returning: false) }
            if mustResume { MHD_resume_connection(connection) }
        }
    }

    private func end(failure: String?) {
        let (mustResume, producer) = state.withLock { state in
            if !state.isEnded {
                state.isEnded = true
                state.failure = failure
            }
            defer { state.isSuspended = false }
            return (state.isSuspended, state.producer.take())
        }
        producer?.resume(returning: false)
        if mustResume { MHD_resume_connection(connection) }
    }
}
