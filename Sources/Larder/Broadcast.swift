import Primitives
import Synchronization

/// Tells every listener the same things in the same order.
final class Broadcast<Element: Sendable>: Sendable {
    private static var bufferCount: Int { 1_024 }

    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Locked(State())
    /// How many listen: what is looked at before the lock is taken, because every exchange comes by here.
    private let listenerCount = Atomic<Int>(0)

    /// A listener's view from now on; it loses the oldest elements when it lags by more than 1,024.
    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Self.bufferCount))
        let id = state.withLock { state -> Int? in
            if state.isFinished { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            listenerCount.store(state.listeners.count, ordering: .relaxed)
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in self?.remove(id) }
        return stream
    }

    /// Tells everyone.
    func send(_ element: Element) {
        guard listenerCount.load(ordering: .relaxed) > 0 else { return }
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield(element) }
    }

    private func remove(_ id: Int) {
        state.withLock { state in
            state.listeners.removeValue(forKey: id)
            listenerCount.store(state.listeners.count, ordering: .relaxed)
        }
    }

    /// Ends every stream, also those asked for later.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            listenerCount.store(0, ordering: .relaxed)
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
