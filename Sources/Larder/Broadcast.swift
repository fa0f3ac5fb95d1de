import Primitives

/// Tells every listener the same things in the same order.
final class Broadcast<Element: Sendable>: Sendable {
    private static var bufferCount: Int { 1_024 }

    private struct State {
        var nextID = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Locked(State())

    /// A listener's view from now on; it loses the oldest elements when it lags by more than 1,024.
    func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Self.bufferCount))
        let id = state.withLock { state -> Int? in
            if state.isFinished { return nil }
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [state] _ in
            state.withLock { _ = $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Tells everyone.
    func send(_ element: Element) {
        let listeners = state.withLock { $0.listeners.isEmpty ? [] : Array($0.listeners.values) }
        for listener in listeners { listener.yield(element) }
    }

    /// Ends every stream, also those asked for later.
    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
