import Primitives

/// A value that arrives once, from a callback of Foundation's, while one task waits for it.
final class OneShot<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case awaited(CheckedContinuation<Value?, Never>)
        case resolved(Value?)
    }

    private let state = Locked(State.empty)

    /// Sets the value; the first one stays.
    func resolve(_ value: Value?) {
        let waiting = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .empty:
                state = .resolved(value)
                return nil
            case .awaited(let continuation):
                state = .resolved(value)
                return continuation
            case .resolved: return nil
            }
        }
        waiting?.resume(returning: value)
    }

    /// Waits for the value, once; `nil` when the waiting task is cancelled first.
    func value() async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resolved = state.withLock { state -> Value?? in
                    if case .resolved(let value) = state { return .some(value) }
                    state = .awaited(continuation)
                    return .none
                }
                if let resolved { continuation.resume(returning: resolved) }
            }
        } onCancel: {
            resolve(nil)
        }
    }
}
