import Primitives

/// Tells listeners what changed, in the order it is told here.
final class ChangeHub: Sendable {
    static let bufferedCountMax = 1_024

    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<StoreChange>.Continuation] = [:]
    }

    private let state = Locked(State())

    deinit {
        for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener.finish() }
    }

    /// Changes from now on; a listener that lags too far loses the oldest.
    func listen() -> AsyncStream<StoreChange> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoreChange.self, bufferingPolicy: .bufferingNewest(Self.bufferedCountMax))
        let id = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            return state.nextID
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Hands changes to every listener. One thread at a time calls this: the one that holds the writing connection.
    func publish(_ changes: [StoreChange]) {
        guard !changes.isEmpty else { return }
        for listener in state.withLock({ $0.listeners.values.map { $0 } }) {
            for change in changes { listener.yield(change) }
        }
    }
}
