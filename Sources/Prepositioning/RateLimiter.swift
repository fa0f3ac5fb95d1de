import Primitives

/// Shares a number of bytes a second between all downloads.
final class RateLimiter: Sendable {
    private struct State {
        var bytesPerSecondMax: Int64?
        /// The uptime at which all that was let through is paid for.
        var paidUntil = Duration.zero
    }

    private let state = Locked(State())
    private let timekeeper: any Timekeeping

    init(timekeeper: any Timekeeping) { self.timekeeper = timekeeper }

    /// Changes the limit; `nil` and less than 1 mean none.
    func setLimit(_ bytesPerSecond: Int64?) {
        state.withLock { $0.bytesPerSecondMax = bytesPerSecond.flatMap { $0 > 0 ? $0 : nil } }
    }

    var bytesPerSecondMax: Int64? { state.withLock { $0.bytesPerSecondMax } }

    /// Waits until bytes that have arrived are within the limit.
    /// - Throws: `CancellationError`.
    func admit(_ byteCount: Int) async throws {
        let uptime = timekeeper.uptime
        let delay = state.withLock { state -> Duration in
            guard let limit = state.bytesPerSecondMax else { return .zero }
            state.paidUntil = max(state.paidUntil, uptime) + .seconds(Double(byteCount) / Double(limit))
            return state.paidUntil - uptime
        }
        if delay > .milliseconds(1) { try await timekeeper.sleep(for: delay) }
    }
}
