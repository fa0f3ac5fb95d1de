import Dispatch

/// Runs long computations away from Swift's cooperative threads, a bounded number at a time.
struct Offload: Sendable {
    private let queue: DispatchQueue

    /// Creates a line of work of its own: one computation at a time, the others wait in order.
    init(label: String) { queue = DispatchQueue(label: label) }

    /// Computes off the caller's thread; does not block it.
    func run<Value: Sendable, Failure: Error>(
        _ compute: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: Result(catching: compute)) }
        }
        return try result.get()
    }
}
