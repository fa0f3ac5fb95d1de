import Dispatch
import Foundation
import Primitives

/// SIGINT and SIGTERM as something to await, so that long-running commands end in order.
final class Termination: Sendable {
    private struct State {
        var isAsked = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let sources: [any DispatchSourceSignal]

    /// Takes the two signals over from their default action, which is to end the process at once.
    init() {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            return DispatchSource.makeSignalSource(signal: number, queue: .global())
        }
        for source in sources {
            source.setEventHandler { [weak self] in self?.ask() }
            source.resume()
        }
    }

    /// Returns when one of the signals has come.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isAsked = state.withLock { state in
                if !state.isAsked { state.waiters.append(continuation) }
                return state.isAsked
            }
            if isAsked { continuation.resume() }
        }
    }

    private func ask() {
        let waiters = state.withLock { state in
            state.isAsked = true
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
