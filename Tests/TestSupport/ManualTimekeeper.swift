public import Foundation
public import Primitives

/// Clocks that a test moves by hand; sleepers wake when their time has come.
public final class ManualTimekeeper: Timekeeping {
    private struct Sleeper {
        var due: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: Date
        var uptime = Duration.zero
        var nextID = 0
        var sleepers: [Int: Sleeper] = [:]
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Locked<State>

    /// Starts at a date (2026-01-01T00:00:00Z unless told).
    public init(now: Date = Date(timeIntervalSince1970: 1_767_225_600)) { state = Locked(State(now: now)) }

    public var now: Date { state.withLock { $0.now } }
    public var uptime: Duration { state.withLock { $0.uptime } }

    /// Moves both clocks and wakes the sleepers whose time has come.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state -> [Sleeper] in
            state.uptime += duration
            let (seconds, attoseconds) = duration.components
            state.now += Double(seconds) + Double(attoseconds) / 1e18
            let due = state.sleepers.filter { $0.value.due <= state.uptime }
            for id in due.keys { state.sleepers.removeValue(forKey: id) }
            return due.values.sorted { $0.due < $1.due }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Returns once at least so many tasks sleep on this clock.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    public func sleep(for duration: Duration) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum Next { case sleep([CheckedContinuation<Void, Never>]), wake, cancel }
                let next = state.withLock { state -> Next in
                    if Task.isCancelled { return .cancel }
                    if duration <= .zero { return .wake }
                    state.sleepers[id] = Sleeper(due: state.uptime + duration, continuation: continuation)
                    let ready = state.watchers.filter { $0.count <= state.sleepers.count }.map(\.continuation)
                    state.watchers.removeAll { $0.count <= state.sleepers.count }
                    return .sleep(ready)
                }
                switch next {
                case .sleep(let watchers): for watcher in watchers { watcher.resume() }
                case .wake: continuation.resume()
                case .cancel: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            state.withLock { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}
