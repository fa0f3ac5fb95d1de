public import Primitives
import Synchronization
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The timed events of an app, kept by the queue so that they survive a restart, and their sums of exchanges.
///
/// Nothing here blocks on the disk: a start is durable a quarter of a second later, and a stop takes the event out of what
/// runs in the same transaction that puts it among what is told.
public final class TimedEvents: Sendable {
    /// An event as it was stopped.
    public struct Stopped: Sendable, Hashable {
        public var name: String
        public var date: Date
        public var durationMicroseconds: Int64
        /// The running event that was started last, as it was before the stop: this one, unless another began in it.
        public var latestName: String
    }

    /// An exchange on its way, and the events that ran as it began.
    public struct Mark: Sendable {
        fileprivate let mark: EventBook.Mark
        fileprivate let events: TimedEvents

        /// Their names in alphabetical order, each once; of more than 32, those of the events started last.
        public var names: [String] { mark.names }

        /// Adds the exchange to the sums of its events.
        public func end(_ record: ExchangeRecord) { events.end(mark, record) }
    }

    /// Longest wait of a stopped event for the exchanges that began while it ran.
    static let patience = Duration.seconds(30)

    private let queue: TelemetryQueue
    private let timekeeper: any Timekeeping
    /// How many run: what an exchange looks at before it takes the lock.
    private let runningCount: Atomic<Int>

    /// Takes up the events that an earlier run of the app left running, if they are at most seven days old.
    ///
    /// A queue has one of these at most.
    public init(queue: TelemetryQueue, timekeeper: any Timekeeping) {
        self.queue = queue
        self.timekeeper = timekeeper
        runningCount = Atomic(queue.step { ($0.runningCount, EventChanges()) })
    }

    /// The name of the running event that was started last.
    public var latestName: String? { queue.step { ($0.latestName, EventChanges()) } }

    /// Starts an event; several may run at once, also of the same name. Of more than 1,000 the oldest is forgotten.
    public func start(_ name: EventName) {
        let id = queue.makeID()
        let (now, uptime) = (timekeeper.now, timekeeper.uptime)
        step { book in ((), book.start(name.text, id: id, now: now, uptime: uptime)) }
    }

    /// Ends the event of that name that was started last, and tells it once the exchanges that began in it have ended.
    ///
    /// The time is measured on the monotonic clock; for an event of an earlier run of the app on the wall clock.
    /// - Returns: `nil` when none of that name runs.
    @discardableResult
    public func stop(_ name: EventName) -> Stopped? {
        let (now, uptime) = (timekeeper.now, timekeeper.uptime)
        let result = step { book -> ((event: StoredEvent, latestName: String?, isWaiting: Bool)?, EventChanges) in
            let latestName = book.latestName
            guard let (event, changes) = book.stop(name.text, now: now, uptime: uptime) else {
                return (nil, EventChanges())
            }
            return ((event, latestName, changes.told.isEmpty), changes)
        }
        guard let (event, latestName, isWaiting) = result else { return nil }
        if isWaiting { settleLater(event.id) }
        return Stopped(
            name: event.name, date: event.date, durationMicroseconds: event.durationMicroseconds ?? 0,
            latestName: latestName ?? event.name)
    }

    /// An exchange begins; costs one relaxed load while no event runs.
    /// - Returns: what it is to be ended with, always; `nil` while no event runs.
    public func beginExchange() -> Mark? {
        guard runningCount.load(ordering: .relaxed) > 0 else { return nil }
        return queue.step { ($0.begin(), EventChanges()) }.map { Mark(mark: $0, events: self) }
    }

    /// Tells the events that have been stopped without waiting for exchanges any longer.
    public func settle() { step { ((), $0.settleAll()) } }

    // MARK: - Steps

    private func end(_ mark: EventBook.Mark, _ record: ExchangeRecord) { step { ((), $0.end(mark, record)) } }

    private func settleLater(_ id: String) {
        Task { [weak self, timekeeper] in
            // Nobody cancels this task; a clock that refuses to wait only makes the event be told sooner.
            try? await timekeeper.sleep(for: Self.patience)
            self?.step { ((), $0.settle(id)) }
        }
    }

    @discardableResult
    private func step<Result>(_ body: (inout EventBook) -> (Result, EventChanges)) -> Result {
        queue.step { book in
            let result = body(&book)
            runningCount.store(book.runningCount, ordering: .relaxed)
            return result
        }
    }
}
