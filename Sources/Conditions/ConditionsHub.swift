import Primitives

/// The conditions as they stand, and those who listen.
final class ConditionsHub: Sendable {
    private struct State {
        var conditions: DeviceConditions
        var nextID = 0
        var listeners: [Int: AsyncStream<DeviceConditions>.Continuation] = [:]
    }

    private let state: Locked<State>

    init(_ conditions: DeviceConditions) { state = Locked(State(conditions: conditions)) }

    var conditions: DeviceConditions { state.withLock { $0.conditions } }

    /// Tells the listeners, when something is otherwise.
    func set(_ conditions: DeviceConditions) {
        // Under the lock, so that the newest that a listener sees is the newest that was set; yielding calls nobody back.
        state.withLock { state in
            guard state.conditions != conditions else { return }
            state.conditions = conditions
            for listener in state.listeners.values { listener.yield(conditions) }
        }
    }

    /// The conditions now and after every change; a slow listener sees the newest only.
    func changes() -> AsyncStream<DeviceConditions> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                continuation.yield(state.conditions)
                return state.nextID
            }
            continuation.onTermination = { [state] _ in
                state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            }
        }
    }

    /// Ends every stream.
    func finish() {
        let listeners = state.withLock { state in
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
