#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The clocks a component is given: the date, a monotonic reading, and a way to wait.
///
/// Components never read a clock of their own, so that tests move time by hand.
public protocol Timekeeping: Sendable {
    /// The current date (wall clock; may jump).
    var now: Date { get }
    /// Time since an arbitrary fixed point (monotonic; never jumps).
    var uptime: Duration { get }
    /// Waits for a duration.
    /// - Throws: `CancellationError` when the task is cancelled.
    func sleep(for duration: Duration) async throws
}

/// The machine's own clocks.
public struct SystemTimekeeper: Timekeeping {
    private static let start = ContinuousClock.now

    /// Creates a timekeeper on the machine's clocks.
    public init() {}

    public var now: Date { Date() }
    public var uptime: Duration { ContinuousClock.now - Self.start }
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}
