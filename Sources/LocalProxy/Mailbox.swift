import CEpoll
import Glibc
import Primitives

/// What other threads tell the loop: which of its connections have something to look at.
final class Mailbox: Sendable {
    private struct State {
        var tokens: [UInt64] = []
        var isStopping = false
    }

    /// Readable while something lies in the mailbox. Open for as long as anybody may put something in.
    let descriptor: Int32
    private let state = Locked(State())

    /// Creates an empty mailbox.
    /// - Throws: ``LocalProxyError`` when the process has no descriptor left.
    init() throws(LocalProxyError) {
        descriptor = cepoll_eventfd()
        guard descriptor >= 0 else { throw LocalProxyError("no event loop: \(Socket.reason(errno))") }
    }

    deinit { close(descriptor) }

    /// Asks the loop to look at a connection. Never blocks.
    func put(_ token: UInt64) {
        let isFirst = state.withLock { state in
            state.tokens.append(token)
            return state.tokens.count == 1
        }
        if isFirst { wake() }
    }

    /// Asks the loop to end. Never blocks.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    /// Takes what lies in the mailbox.
    func take() -> (tokens: [UInt64], isStopping: Bool) {
        var value: UInt64 = 0
        read(descriptor, &value, MemoryLayout<UInt64>.size)
        return state.withLock { state in
            defer { state.tokens = [] }
            return (state.tokens, state.isStopping)
        }
    }

    private func wake() {
        var one: UInt64 = 1
        write(descriptor, &one, MemoryLayout<UInt64>.size)
    }
}
