#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A value behind a lock: the one way this code base shares mutable state between threads.
///
/// Callers compute inside the closure and act outside of it: no `await`, no I/O and no callback runs under the lock.
///
/// A pthread mutex stands below it, because the thread sanitizer reports false races for `Synchronization.Mutex` on Linux.
public final class Locked<State>: @unchecked Sendable {  // protected by `mutex`
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var state: State

    /// Creates a lock around a value.
    public init(_ state: sending State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Runs a closure with exclusive access to the value; blocks other threads only for as long as the closure runs.
    public func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }
}
