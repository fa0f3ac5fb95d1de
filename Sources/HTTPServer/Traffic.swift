import CMicroHTTPD
import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the server has under way: its connections with their deadlines, its exchanges, and whether it still takes new ones.
final class Traffic: Sendable {
    /// How far a server is from its end.
    enum Phase { case open, draining, closed }

    private struct Connection {
        var descriptor: Int32
        /// When the next thing must have arrived; `nil` while the server itself is at work.
        var deadline: Duration?
    }

    private struct State {
        var phase = Phase.open
        var connections: [OpaquePointer: Connection] = [:]
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isReleased = false
    }

    private let state = Locked(State())

    var phase: Phase { state.withLock { $0.phase } }

    // MARK: - Connections

    func opened(_ connection: OpaquePointer, descriptor: Int32, deadline: Duration) {
        state.withLock { $0.connections[connection] = Connection(descriptor: descriptor, deadline: deadline) }
    }

    /// The next thing to arrive on a connection has a new deadline, or none.
    func setDeadline(_ deadline: Duration?, of connection: OpaquePointer) {
        state.withLock { $0.connections[connection]?.deadline = deadline }
    }

    func closed(_ connection: OpaquePointer) {
        state.withLock { _ = $0.connections.removeValue(forKey: connection) }
    }

    /// Ends the connections whose deadline has passed; libmicrohttpd sees them closed and cleans up.
    ///
    /// The shutdown happens under the lock on purpose: it does not block, and libmicrohttpd reports a connection closed,
    /// which takes this lock, before it closes the descriptor. So no descriptor is hit that was given out anew.
    func endOverdue(at uptime: Duration) {
        state.withLock { state in
            for (connection, details) in state.connections {
                guard let deadline = details.deadline, deadline <= uptime else { continue }
                shutdown(details.descriptor, Int32(SHUT_RDWR))
                state.connections[connection]?.deadline = nil
            }
        }
    }

    // MARK: - Exchanges

    func began(_ exchange: Exchange) { state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = exchange } }

    func ended(_ exchange: Exchange) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.exchanges.removeValue(forKey: ObjectIdentifier(exchange))
            guard state.exchanges.isEmpty else { return [] }
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: - The end

    func drain() { state.withLock { if $0.phase == .open { $0.phase = .draining } } }

    /// Returns when nothing is under way, or the waiters have been released.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.exchanges.isEmpty || state.isReleased { return true }
                state.waiters.append(continuation)
                return false
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Lets everyone go who waits for ``idle()``, now and from now on.
    func releaseWaiters() {
        let waiters = state.withLock { state in
            state.isReleased = true
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// No exchange may wait for a handler from now on.
    /// - Returns: those under way, for the caller to abort; `nil` when it had been closed before.
    func close() -> [Exchange]? {
        state.withLock { state in
            guard state.phase != .closed else { return nil }
            state.phase = .closed
            return Array(state.exchanges.values)
        }
    }
}
