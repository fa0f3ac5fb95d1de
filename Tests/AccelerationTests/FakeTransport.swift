import Foundation
import HTTPModel
import Primitives
import Transport

/// A network by script: it answers what the test says and remembers what it was asked.
final class FakeTransport: HTTPTransport {
    /// What the network says to one request.
    struct Answer: Sendable {
        var status = 200
        var fields: HTTPFields = [:]
        var body: ByteStream = .empty
        var decodedFrom: String?

        static func text(_ text: String, status: Int = 200, _ fields: HTTPFields = [:]) -> Answer {
            Answer(status: status, fields: fields, body: ByteStream(Data(text.utf8)))
        }
    }

    typealias Script = @Sendable (TransportRequest) async throws -> Answer

    static let metrics: TransferMetrics = {
        var metrics = TransferMetrics()
        metrics.sentByteCount = 100
        metrics.receivedByteCount = 900
        metrics.httpVersion = "2"
        return metrics
    }()

    private let script: Locked<Script>
    private let log = Locked<[TransportRequest]>([])

    init(_ script: @escaping Script) { self.script = Locked(script) }

    /// Everything asked so far.
    var requests: [TransportRequest] { log.withLock { $0 } }

    /// From now on the network says something else.
    func answer(_ script: @escaping Script) { self.script.withLock { $0 = script } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        log.withLock { $0.append(request) }
        let answer = try await script.withLock { $0 }(request)
        try Task.checkCancellation()
        return TransportResponse(
            response: HTTPResponse(status: answer.status, fields: answer.fields), body: answer.body,
            decodedFrom: answer.decodedFrom, metrics: { Self.metrics })
    }
}

/// A body whose chunks the test hands out one by one.
final class ScriptedBody: ByteSource {
    private struct State {
        var chunks: [Data] = []
        var end: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
        var takenByteCount = 0
        var isCancelled = false
    }

    private let state = Locked(State())

    /// Bytes that somebody has taken.
    var takenByteCount: Int { state.withLock { $0.takenByteCount } }
    /// Whether the reader has let go, or its task was cancelled.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func push(_ data: Data) { change { $0.chunks.append(data) } }
    func push(_ text: String) { push(Data(text.utf8)) }
    func finish() { change { $0.end = .success(()) } }
    func fail(_ error: any Error) { change { $0.end = .failure(error) } }

    func next() async throws -> Data? {
        while true {
            let step = state.withLock { state -> Result<Data?, any Error>? in
                if Task.isCancelled {
                    state.isCancelled = true
                    return .failure(CancellationError())
                }
                if !state.chunks.isEmpty {
                    let chunk = state.chunks.removeFirst()
                    state.takenByteCount += chunk.count
                    return .success(chunk)
                }
                return state.end.map { end in end.map { nil } }
            }
            if let step { return try step.get() }
            await wait()
        }
    }

    func cancel() { change { if $0.end == nil || !$0.chunks.isEmpty { $0.isCancelled = true } } }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if Task.isCancelled || !state.chunks.isEmpty || state.end != nil { return true }
                    state.waiter = continuation
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            change { $0.isCancelled = true }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

/// A door that stays shut until the test opens it.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the door, cancelled or not.
    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
