import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The body of a request on its way from the client to the network: at most one window of it is in memory.
///
/// The loop pushes, the network's task pulls; each is told when the other has made room or brought bytes.
final class Upload: ByteSource {
    private struct State {
        var chunks: [Data] = []
        var byteCount = 0
        var hasEnded = false
        var error: (any Error)?
        /// Somebody has asked for a byte, which with `Expect: 100-continue` is what the client waits for.
        var isWanted = false
        var isAbandoned = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let windowByteCount: Int
    private let mailbox: Mailbox
    private let token: UInt64

    init(windowByteCount: Int, mailbox: Mailbox, token: UInt64) {
        self.windowByteCount = windowByteCount
        self.mailbox = mailbox
        self.token = token
    }

    // MARK: - The loop's side

    /// Whether the client's bytes may be read on.
    var hasRoom: Bool { state.withLock { $0.isAbandoned || $0.byteCount < windowByteCount } }
    /// Whether the network has asked for bytes.
    var isWanted: Bool { state.withLock { $0.isWanted } }

    func push(_ chunks: [Data]) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isAbandoned else { return nil }
            state.chunks += chunks
            for chunk in chunks { state.byteCount += chunk.count }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// The body is whole, or the client has gone.
    func finish(_ error: (any Error)? = nil) {
        let waiter = state.withLock { state in
            if !state.hasEnded { (state.hasEnded, state.error) = (true, error) }
            return state.waiter.take()
        }
        waiter?.resume()
    }

    // MARK: - The network's side

    func next() async throws -> Data? {
        if state.withLock({ state in
            defer { state.isWanted = true }
            return !state.isWanted
        }) {
            mailbox.put(token)
        }
        while true {
            try Task.checkCancellation()
            let (chunk, isOver, makesRoom) = try state.withLock { state -> (Data?, Bool, Bool) in
                if state.chunks.isEmpty {
                    if let error = state.error { throw error }
                    return (nil, state.hasEnded, false)
                }
                let chunk = state.chunks.removeFirst()
                let wasFull = state.byteCount >= windowByteCount
                state.byteCount -= chunk.count
                return (chunk, false, wasFull && state.byteCount < windowByteCount)
            }
            if makesRoom { mailbox.put(token) }
            if let chunk { return chunk }
            if isOver { return nil }
            await wait()
        }
    }

    func cancel() {
        let waiter = state.withLock { state in
            state.isAbandoned = true
            (state.chunks, state.byteCount) = ([], 0)
            return state.waiter.take()
        }
        waiter?.resume()
        mailbox.put(token)
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if Task.isCancelled || !state.chunks.isEmpty || state.hasEnded || state.isAbandoned { return true }
                    state.waiter = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiter.take() }?.resume()
        }
    }
}
