import Acceleration
import ContentStore
import HTTPModel
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One answer on its way from the engine to a client: a task reads it, the loop writes it, at most one window is between.
final class Forwarding: Sendable {
    /// What the loop is to write next.
    enum Item: Sendable {
        case interim(HTTPResponse)
        case head(HTTPResponse, stored: StoredBody?)
        case bytes(Data)
        case end(trailers: HTTPFields)
        case failed(ProxyFailure?)
    }

    private struct State {
        var items: [Item] = []
        /// Bytes that the task has brought and the client has not taken.
        var byteCount = 0
        var isCancelled = false
        var isLetGo = false
        var waiter: CheckedContinuation<Void, Never>?
        var task: Task<Void, Never>?
    }

    private let state = Locked(State())
    private let windowByteCount: Int
    private let mailbox: Mailbox
    private let token: UInt64

    init(windowByteCount: Int, mailbox: Mailbox, token: UInt64) {
        self.windowByteCount = windowByteCount
        self.mailbox = mailbox
        self.token = token
    }

    // MARK: - The loop's side

    /// Sends the request, and relays what comes.
    func start(_ request: HTTPRequest, _ body: RequestBody?, _ options: RequestOptions, _ handler: any RequestHandling)
    {
        run {
            let answer = try await handler.send(request, body: body, options: options)
            try await self.relay(answer)
        }
    }

    /// Relays an answer that is there already.
    func start(_ answer: AcceleratedResponse) { run { try await self.relay(answer) } }

    /// What has come since the last call.
    func take() -> [Item] {
        state.withLock { state in
            defer { state.items.removeAll() }
            return state.items
        }
    }

    /// The client has taken bytes.
    func release(_ byteCount: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.byteCount -= byteCount
            return state.byteCount < windowByteCount ? state.waiter.take() : nil
        }
        waiter?.resume()
    }

    /// The client has all that it was promised: what is left, such as storing it, goes on without the loop.
    func letGo() {
        let waiter = state.withLock { state in
            state.isLetGo = true
            (state.items, state.task) = ([], nil)
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// The client has gone: the fetch ends, unless others share it.
    func cancel() {
        let (task, waiter) = state.withLock { state in
            state.isCancelled = true
            state.items = []
            return (state.task.take(), state.waiter.take())
        }
        task?.cancel()
        waiter?.resume()
    }

    // MARK: - The task's side

    private func run(_ work: @escaping @Sendable () async throws -> Void) {
        let task = Task {
            do {
                try await work()
            } catch {
                self.put(.failed(error is CancellationError ? nil : ProxyFailure(error)))
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func relay(_ answer: AcceleratedResponse) async throws {
        for interim in answer.interim { put(.interim(interim)) }
        put(.head(answer.response, stored: answer.storedBody))
        if answer.storedBody == nil {
            for try await chunk in answer.body { try await put(bytes: chunk) }
        }
        put(.end(trailers: await answer.trailers()))
    }

    private func put(_ item: Item) {
        let isFirst = state.withLock { state in
            if state.isCancelled || state.isLetGo { return false }
            state.items.append(item)
            return state.items.count == 1
        }
        if isFirst { mailbox.put(token) }
    }

    /// Hands bytes to the loop, and waits while a window of them waits for the client.
    private func put(bytes: Data) async throws {
        state.withLock { $0.byteCount += bytes.count }
        put(.bytes(bytes))
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isCancelled || state.isLetGo || state.byteCount < windowByteCount { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        try Task.checkCancellation()
    }
}
