import CDispatchQueue

/// The dispatch queue on which Foundation runs one task: its callbacks are safe there and nowhere else.
final class TaskQueue: @unchecked Sendable {  // immutable; dispatch queues may be used from any thread
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private let queue: UnsafeMutableRawPointer

    /// Captures the queue that the caller runs on; for `startLoading`, which runs on its task's queue.
    static func current() -> TaskQueue { TaskQueue(larder_queue_current()) }

    private init(_ queue: UnsafeMutableRawPointer) {
        larder_queue_retain(queue)
        self.queue = queue
    }

    deinit { larder_queue_release(queue) }

    /// Runs a closure on the queue, after what is on it.
    func async(_ body: @escaping @Sendable () -> Void) {
        larder_queue_async(queue, Unmanaged.passRetained(Work(body)).toOpaque()) { context in
            guard let context else { return }
            Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
        }
    }
}
