import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The timed events that run, matched by name, the last started first.
final class TimedEvents: Sendable {
    private static let countMax = 1_000

    private struct Running {
        var name: String
        var date: Date
        var uptime: Duration
    }

    private let timekeeper: any Timekeeping
    private let running = Locked<[Running]>([])

    init(timekeeper: any Timekeeping) { self.timekeeper = timekeeper }

    /// Starts an event; at the bound the oldest is forgotten.
    func start(_ name: String) {
        let event = Running(name: name, date: timekeeper.now, uptime: timekeeper.uptime)
        running.withLock { running in
            if running.count >= Self.countMax { running.removeFirst() }
            running.append(event)
        }
    }

    /// Ends an event; `nil` when none of that name runs.
    func stop(_ name: String) -> AppEvent? {
        let uptime = timekeeper.uptime
        let event = running.withLock { running in
            running.lastIndex { $0.name == name }.map { running.remove(at: $0) }
        }
        guard let event else { return nil }
        let (seconds, attoseconds) = (uptime - event.uptime).components
        return AppEvent(
            name: name, date: event.date,
            durationMicroseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
    }
}
