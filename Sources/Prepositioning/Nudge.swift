import Primitives

/// A number that rises, and tasks that wait for it to rise.
final class Nudge: Sendable {
    private struct State {
        var generation = 0
        var nextWaiter = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Locked(State())

    var generation: Int { state.withLock { $0.generation } }

    /// Raises the number and wakes who waits.
    func raise() {
        let waiters = state.withLock { state in
            state.generation += 1
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once the number is higher than the one given, or when the task is cancelled.
    func wait(beyond generation: Int) async {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGo = state.withLock { state in
                    if state.generation > generation || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if mayGo { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// The same, or returns when the time is over.
    func wait(beyond generation: Int, atMost pause: Duration, _ timekeeper: any Timekeeping) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(beyond: generation) }
            group.addTask {
                // Cancelled when the number rises first.
                try? await timekeeper.sleep(for: pause)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
