import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A timed event as it is kept over a restart of the app.
struct StoredEvent: Sendable, Hashable {
    var id: String
    var name: String
    var date: Date
    /// Once it has been stopped: it waits for the exchanges that began while it ran.
    var durationMicroseconds: Int64?
    var traffic = EventTraffic()

    /// What is told of it.
    var told: AppEvent {
        AppEvent(
            name: name, date: date, durationMicroseconds: durationMicroseconds,
            traffic: traffic.exchangeCount > 0 ? traffic : nil)
    }
}

/// What a step of the book asks for: done together, or not at all.
struct EventChanges: Sendable, Hashable {
    /// By id: to be kept like this, or no longer when `nil`.
    var kept: [String: StoredEvent?] = [:]
    var told: [AppEvent] = []

    var isEmpty: Bool { kept.isEmpty && told.isEmpty }

    /// Adds what happened after this.
    mutating func append(_ later: EventChanges) {
        kept.merge(later.kept) { _, later in later }
        told += later.told
    }
}

/// The timed events that run and those that wait for their last exchanges: all rules, no clock and no disk.
///
/// Stops match the event of that name that was started last. An event that was stopped while exchanges that had begun in it are
/// still going is told when the last of them has ended, or when it is settled.
struct EventBook {
    /// Most events that run, and most that wait; beyond, the oldest is forgotten, or told as it stands.
    static let countMax = 1_000
    /// A running event older than this when the app starts will not be stopped any more.
    static let ageMax: TimeInterval = 7 * 86_400
    /// Most names that a record carries: those of the events started last.
    static let nameCountMax = 32

    fileprivate struct Entry {
        var event: StoredEvent
        /// When it was started; `nil` for an event of an earlier run of the app.
        var started: Duration?
        /// Exchanges that began in it and have not ended.
        var openCount = 0
    }

    /// The events that ran as an exchange began.
    struct Mark: Sendable, Hashable {
        /// In alphabetical order, each once.
        var names: [String]
        fileprivate var ids: [String]
    }

    /// In order of their start.
    private var running: [Entry] = []
    /// In order of their stop.
    private var waiting: [Entry] = []
    /// The mark of an exchange that begins now; `nil` while nothing runs.
    private(set) var mark: Mark?

    var runningCount: Int { running.count }
    /// The running event that was started last.
    var latestName: String? { running.last?.event.name }

    /// Takes up what an earlier run of the app left.
    mutating func restore(_ stored: [StoredEvent], now: Date) -> EventChanges {
        var changes = EventChanges()
        for event in stored.sorted(by: { $0.date < $1.date }) {
            if event.durationMicroseconds != nil {
                changes.told.append(event.told)
            } else if now.timeIntervalSince(event.date) <= Self.ageMax, running.count < Self.countMax {
                running.append(Entry(event: event))
                continue
            }
            changes.kept.updateValue(nil, forKey: event.id)
        }
        renewMark()
        return changes
    }

    /// Starts an event.
    mutating func start(_ name: String, id: String, now: Date, uptime: Duration) -> EventChanges {
        var changes = EventChanges()
        if running.count >= Self.countMax { changes.kept.updateValue(nil, forKey: running.removeFirst().event.id) }
        let event = StoredEvent(id: id, name: name, date: now)
        running.append(Entry(event: event, started: uptime))
        changes.kept[id] = event
        renewMark()
        return changes
    }

    /// Ends the event of that name that was started last.
    /// - Returns: the event as it was stopped; `nil` when none of that name runs.
    mutating func stop(_ name: String, now: Date, uptime: Duration) -> (stopped: StoredEvent, changes: EventChanges)? {
        guard let index = running.lastIndex(where: { $0.event.name == name }) else { return nil }
        var entry = running.remove(at: index)
        renewMark()
        // The wall clock may have been set back since another run of the app.
        entry.event.durationMicroseconds =
            entry.started.map { (uptime - $0).microseconds }
            ?? Int64((max(now.timeIntervalSince(entry.event.date), 0) * 1_000_000).rounded())
        if entry.openCount == 0 { return (entry.event, Self.telling(entry)) }
        var changes = EventChanges()
        if waiting.count >= Self.countMax { changes = Self.telling(waiting.removeFirst()) }
        waiting.append(entry)
        changes.kept[entry.event.id] = entry.event
        return (entry.event, changes)
    }

    /// An exchange begins.
    /// - Returns: what it is to be ended with; `nil` while nothing runs.
    mutating func begin() -> Mark? {
        for index in running.indices { running[index].openCount += 1 }
        return mark
    }

    /// An exchange that began with a mark has ended.
    mutating func end(_ mark: Mark, _ record: ExchangeRecord) -> EventChanges {
        var changes = EventChanges()
        for id in mark.ids {
            if let index = running.lastIndex(where: { $0.event.id == id }) {
                running[index].take(record)
                changes.kept[id] = running[index].event
            } else if let index = waiting.lastIndex(where: { $0.event.id == id }) {
                waiting[index].take(record)
                if waiting[index].openCount > 0 {
                    changes.kept[id] = waiting[index].event
                } else {
                    changes.append(Self.telling(waiting.remove(at: index)))
                }
            }
        }
        return changes
    }

    /// Tells a stopped event without waiting any longer; nothing happens when it has been told.
    mutating func settle(_ id: String) -> EventChanges {
        guard let index = waiting.firstIndex(where: { $0.event.id == id }) else { return EventChanges() }
        return Self.telling(waiting.remove(at: index))
    }

    /// Tells every stopped event without waiting any longer.
    mutating func settleAll() -> EventChanges {
        defer { waiting = [] }
        return waiting.reduce(into: EventChanges()) { $0.append(Self.telling($1)) }
    }

    private static func telling(_ entry: Entry) -> EventChanges {
        EventChanges(kept: [entry.event.id: nil], told: [entry.event.told])
    }

    private mutating func renewMark() {
        guard !running.isEmpty else { return mark = nil }
        var names: Set<String> = []
        for entry in running.reversed() where names.count < Self.nameCountMax { names.insert(entry.event.name) }
        mark = Mark(names: names.sorted(), ids: running.map(\.event.id))
    }
}

extension EventBook.Entry {
    fileprivate mutating func take(_ record: ExchangeRecord) {
        openCount -= 1
        event.traffic.exchangeCount += 1
        if record.outcome.isFromDevice { event.traffic.fromDeviceCount += 1 }
        if record.outcome == .failed { event.traffic.failedCount += 1 }
        event.traffic.wireByteCount += record.wireByteCount
        event.traffic.totalMicroseconds += record.totalMicroseconds
    }
}

extension Duration {
    fileprivate var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
