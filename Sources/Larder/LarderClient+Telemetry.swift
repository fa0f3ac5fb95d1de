import Primitives
import Telemetry
public import Wire

/// What the app has to tell, and what it can listen to.
///
/// Names of events: control characters and line ends become spaces, at most 100 characters are kept, and an empty name is
/// ignored with a line in the log. Put nothing into a name that has to do with a person.
extension LarderClient {
    /// Records an instantaneous event.
    public func logEvent(_ name: String) {
        guard let name = eventName(name) else { return }
        services.telemetry.record(.event(AppEvent(name: name.text, date: services.timekeeper.now)))
    }

    /// Starts a timed event; several may run at once, also of the same name.
    ///
    /// It goes on over a restart of the app, for at most seven days. At most 1,000 run at a time; the oldest is forgotten.
    public func startEvent(_ name: String) {
        guard let name = eventName(name) else { return }
        services.timedEvents.start(name)
        services.mPulse?.noteStart()
    }

    /// Ends the timed event of that name that was started last; without one nothing happens but a line in the log.
    ///
    /// What is told has the sums of the exchanges that began while it ran. Those that are still going are waited for, for at
    /// most 30 seconds.
    public func stopEvent(_ name: String) {
        guard let name = eventName(name) else { return }
        guard let stopped = services.timedEvents.stop(name) else { return tellUnmatchedStop(name) }
        services.mPulse?.noteStop(
            name: stopped.name, microseconds: stopped.durationMicroseconds, pageGroup: stopped.latestName)
    }

    /// Sends what is waiting, now, and tells what became of it. A failure keeps everything for later.
    @discardableResult
    public func sendTelemetry() async -> TelemetryReport { await services.sendTelemetry() }

    /// Every exchange from now on, when it has ended. A listener that lags by 1,024 exchanges loses the oldest.
    public func exchanges() -> AsyncStream<ExchangeRecord> { services.exchanges.stream() }

    /// Once for each name, of a hundred at most.
    private func tellUnmatchedStop(_ name: EventName) {
        let isNew = services.unmatchedStops.withLock { $0.count < 100 && $0.insert(name).inserted }
        if isNew { services.log.write("the stop of the event \"\(name.text)\" is ignored: none of this name runs") }
    }

    private func eventName(_ name: String) -> EventName? {
        if let cleaned = EventName(name) { return cleaned }
        services.log.once("eventName", "an event without a name is ignored")
        return nil
    }
}
