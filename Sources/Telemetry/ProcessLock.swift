import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that one holder at a time has locked, across processes; let go of with the value, and by the system when the process
/// dies.
final class ProcessLock: Sendable {
    private let descriptor: Locked<Int32?>

    /// Takes the lock if nobody else has it and the file can be made.
    init(path: String) {
        let opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        let isTaken = opened >= 0 && flock(opened, LOCK_EX | LOCK_NB) == 0
        if opened >= 0, !isTaken { close(opened) }
        descriptor = Locked(isTaken ? opened : nil)
    }

    deinit { release() }

    var isHeld: Bool { descriptor.withLock { $0 != nil } }

    /// Leaves the lock to others, for good.
    func release() {
        if let descriptor = descriptor.withLock({ $0.take() }) { close(descriptor) }
    }
}
