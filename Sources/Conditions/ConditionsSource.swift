import Primitives

/// Knows the device's conditions and tells when they change.
public protocol ConditionsSource: Sendable {
    /// The conditions now. No I/O.
    var conditions: DeviceConditions { get }
    /// The conditions now and after every change; a slow listener sees the newest only.
    func changes() -> AsyncStream<DeviceConditions>
}

/// Conditions that somebody sets: for tests and simulations.
public final class ManualConditions: ConditionsSource {
    private struct State {
        var conditions: DeviceConditions
        var nextID = 0
        var listeners: [Int: AsyncStream<DeviceConditions>.Continuation] = [:]
    }

    private let state: Locked<State>

    /// Starts with conditions: a wired network and external power unless told.
    public init(_ conditions: DeviceConditions = DeviceConditions()) {
        state = Locked(State(conditions: conditions))
    }

    public var conditions: DeviceConditions { state.withLock { $0.conditions } }

    /// Changes the conditions and tells the listeners.
    public func set(_ conditions: DeviceConditions) {
        let listeners = state.withLock { state in
            guard state.conditions != conditions else { return [AsyncStream<DeviceConditions>.Continuation]() }
            state.conditions = conditions
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(conditions) }
    }

    public func changes() -> AsyncStream<DeviceConditions> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let (id, conditions) = state.withLock { state in
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                return (state.nextID, state.conditions)
            }
            continuation.onTermination = { [state] _ in
                state.withLock { _ = $0.listeners.removeValue(forKey: id) }
            }
            continuation.yield(conditions)
        }
    }
}
