import Primitives

/// A value that arrives once, from any thread, and that any number of tasks wait for.
///
/// Waiting ends with `CancellationError` when the waiting task is cancelled, whatever becomes of the value.
final class Promise<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    }

    private enum Answer {
        case value(Value)
        case cancelled
        case waiting
    }

    private let state = Locked(State())

    /// The value, when it has arrived.
    var current: Value? { state.withLock { $0.value } }

    /// Gives the value to everyone who waits; a second call does nothing.
    func fulfil(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
            guard state.value == nil else { return [] }
            state.value = value
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Waits for the value.
    /// - Throws: `CancellationError` when the task is cancelled first.
    func value() async throws -> Value {
        if let value = current { return value }
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch register(continuation, as: id) {
                case .value(let value): continuation.resume(returning: value)
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .waiting: break
                }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume(throwing: CancellationError())
        }
    }

    /// Waits for the value; `nil` when the task is cancelled first.
    func valueOrNil() async -> Value? {
        do { return try await value() } catch { return current }
    }

    private func register(_ continuation: CheckedContinuation<Value, any Error>, as id: Int) -> Answer {
        state.withLock { state in
            if let value = state.value { return .value(value) }
            // The handler may have run before the continuation was there.
            if Task.isCancelled { return .cancelled }
            state.waiters[id] = continuation
            return .waiting
        }
    }
}
