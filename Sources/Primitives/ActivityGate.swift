/// Counts the app's own requests in flight, so that background downloads can yield to them.
///
/// Front doors call ``begin()`` and ``end()`` around each exchange; pre-positioning waits for ``idle()`` between reads.
public final class ActivityGate: Sendable {
    private struct State {
        var active = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    /// Creates a gate with nothing in flight.
    public init() {}

    /// Whether an app request is in flight now.
    public var isBusy: Bool { state.withLock { $0.active > 0 } }

    /// An app request starts.
    public func begin() { state.withLock { $0.active += 1 } }

    /// An app request has ended; without a ``begin()`` to it nothing happens.
    public func end() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.active = max(0, state.active - 1)
            guard state.active == 0 else { return [] }
            defer { state.waiters.removeAll() }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when no app request is in flight, or at once when the task is cancelled.
    public func idle() async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if state.active == 0 || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }
}
