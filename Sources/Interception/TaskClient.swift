import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Foundation's side of one task, callable from any thread.
///
/// Foundation on Linux crashes when its client is called from another queue than the task's, after the end of the task,
/// or after its cancellation. Every call therefore hops to that queue and looks there whether it still may be made.
final class TaskClient: @unchecked Sendable {  // mutable state is touched on `queue` alone, which is serial
    typealias Call = @Sendable (URLProtocol, any URLProtocolClient) -> Void

    private let queue: TaskQueue
    /// The protocol object while it may still speak; gone after the end and after a stop.
    private var loader: URLProtocol?
    private var isPaused = false
    /// The calls that came while the task was suspended: one at most, as callers wait for their call.
    private var held: [@Sendable () -> Void] = []

    /// Creates the client of a protocol object; call it in `startLoading`.
    init(_ loader: URLProtocol) {
        self.loader = loader
        queue = TaskQueue.current()
    }

    // MARK: From any thread

    /// Makes one call on the task's queue and returns when it has been made; waits while the task is suspended.
    /// - Throws: `CancellationError` when the task has been stopped.
    func perform(_ call: @escaping Call) async throws {
        let wasMade = await withCheckedContinuation { continuation in
            queue.async { self.step { continuation.resume(returning: self.make(call)) } }
        }
        if !wasMade { throw CancellationError() }
    }

    /// Makes the last call; nothing happens when the task has been stopped.
    func end(_ call: @escaping Call) {
        queue.async {
            self.step {
                guard let loader = self.loader, self.make(call) else { return }
                // Without a client the framework cannot report a cancellation of a task that is complete: it would crash.
                loader.client = nil
                self.loader = nil
            }
        }
    }

    // MARK: On the task's queue

    /// Nothing may be said any more: the framework tells the app of the cancellation itself.
    func stop() {
        loader = nil
        release()
    }

    /// Holds calls back until ``resume()``.
    func pause() { isPaused = true }

    /// Makes the calls that were held back.
    func resume() { release() }

    private func release() {
        isPaused = false
        let calls = held
        held = []
        for call in calls { call() }
    }

    private func step(_ call: @escaping @Sendable () -> Void) {
        if isPaused { held.append(call) } else { call() }
    }

    private func make(_ call: Call) -> Bool {
        guard let loader, let client = loader.client else { return false }
        call(loader, client)
        return true
    }
}
