import Primitives

/// A value that others go by: told to each of them, now and whenever it changes.
///
/// Who sets it does so from one place at a time; who follows it neither blocks nor sets it.
final class Followed<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var followers: [@Sendable (Value) -> Void] = []
    }

    private let state: Locked<State>

    init(_ value: Value) { state = Locked(State(value: value)) }

    var current: Value { state.withLock { $0.value } }

    /// Sets the value and tells every follower of it.
    func set(_ value: Value) {
        let followers = state.withLock { state in
            state.value = value
            return state.followers
        }
        for follower in followers { follower(value) }
    }

    /// Tells somebody of the value, now and after every change.
    func follow(_ follower: @escaping @Sendable (Value) -> Void) {
        let value = state.withLock { state in
            state.followers.append(follower)
            return state.value
        }
        follower(value)
    }
}
