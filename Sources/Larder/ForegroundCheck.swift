import Primitives

/// A look for new content some time after the app has come to the foreground.
final class ForegroundCheck: Sendable {
    private let pending = Locked<Task<Void, Never>?>(nil)

    /// Looks after a delay, unless it is called off. Another look that still waits is called off.
    func begin(after delay: Duration, _ timekeeper: any Timekeeping, look: @escaping @Sendable () async -> Void) {
        replace(
            with: Task {
                // Sleeping throws only when the look is called off.
                guard (try? await timekeeper.sleep(for: delay)) != nil else { return }
                await look()
            })
    }

    func callOff() { replace(with: nil) }

    private func replace(with task: Task<Void, Never>?) {
        let before = pending.withLock { pending in
            defer { pending = task }
            return pending
        }
        before?.cancel()
    }
}
