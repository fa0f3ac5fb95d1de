import Foundation
import HTTPModel
import Primitives
import Transport

/// An origin that answers from a table, without a network.
final class ScriptedOrigin: HTTPTransport {
    struct Answer: Sendable {
        var status = 200
        var fields: HTTPFields = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
        var body = Data("content".utf8)
        /// Sent chunk by chunk instead of the body when not empty.
        var chunks: [Data] = []
        /// Thrown after the last chunk.
        var chunkError: TransportError?
        var decodedFrom: String?
        var error: TransportError?
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var requests: [HTTPRequest] = []
        var inFlight = 0
        var inFlightMax = 0
        var isHeld = false
        var waiters: [CheckedContinuation<Void, Never>] = []
        var arrivals: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    subscript(url: String) -> Answer? {
        get { state.withLock { $0.answers[url] } }
        set { state.withLock { $0.answers[url] = newValue } }
    }

    func serve(_ url: String, _ body: String = "content", fields: HTTPFields? = nil) {
        var answer = Answer()
        answer.body = Data(body.utf8)
        if let fields { answer.fields = fields }
        self[url] = answer
    }

    var requestedURLs: [String] { state.withLock { $0.requests.map(\.url.string) } }
    var inFlightMax: Int { state.withLock { $0.inFlightMax } }

    /// Makes requests wait until ``release()``, or until their task is cancelled.
    func hold() { state.withLock { $0.isHeld = true } }
    func release() {
        let waiters = state.withLock { state in
            state.isHeld = false
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once so many requests are waiting at the same time.
    func waitForRequests(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.inFlight >= count { return true }
                state.arrivals.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let url = request.request.url.string
        let (answer, arrivals) = state.withLock { state in
            state.requests.append(request.request)
            state.inFlight += 1
            state.inFlightMax = max(state.inFlightMax, state.inFlight)
            let due = state.arrivals.filter { $0.count <= state.inFlight }.map(\.continuation)
            state.arrivals.removeAll { $0.count <= state.inFlight }
            return (state.answers[url], due)
        }
        for arrival in arrivals { arrival.resume() }
        defer { state.withLock { $0.inFlight -= 1 } }
        await waitWhileHeld()
        try Task.checkCancellation()
        guard let answer else { throw TransportError(.connectionFailed, "no route to \(request.request.url.host)") }
        if let error = answer.error { throw error }
        let body =
            answer.chunks.isEmpty
            ? ByteStream(answer.body) : ByteStream(ChunkSource(answer.chunks, error: answer.chunkError))
        return TransportResponse(
            response: HTTPResponse(status: answer.status, fields: answer.fields), body: body,
            decodedFrom: answer.decodedFrom, metrics: { TransferMetrics() })
    }

    private func waitWhileHeld() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if !state.isHeld || Task.isCancelled { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            release()
        }
    }
}

/// Hands out chunks, then ends or fails.
private final class ChunkSource: ByteSource {
    private let chunks: Locked<[Data]>
    private let error: TransportError?

    init(_ chunks: [Data], error: TransportError?) {
        self.chunks = Locked(chunks)
        self.error = error
    }

    func next() async throws -> Data? {
        let chunk = chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if chunk == nil, let error { throw error }
        return chunk
    }

    func cancel() {}
}
