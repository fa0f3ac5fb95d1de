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
    private let sources: Locked<[any DispatchSourceSignal]>

    /// Takes the two signals over from their default action, which is to end the process at once.
    init() {
        sources = Locked([])
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in self?.ask() }
            source.resume()
            sources.withLock { $0.append(source) }
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
