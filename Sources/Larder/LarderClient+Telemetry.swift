import Primitives
import Telemetry
public import Wire

/// What the app has to tell, and what it can listen to.
extension LarderClient {
    /// Records an instantaneous event.
    public func logEvent(_ name: String) {
        services.telemetry.record(.event(AppEvent(name: name, date: services.timekeeper.now)))
    }

    /// Starts a timed event; several may run at once, also of the same name.
    ///
    /// At most 1,000 run at a time; the oldest is forgotten for a new one.
    public func startEvent(_ name: String) { services.timedEvents.start(name) }

    /// Ends the timed event of that name that was started last; nothing happens without one.
    public func stopEvent(_ name: String) {
        guard let event = services.timedEvents.stop(name) else { return }
        services.telemetry.record(.event(event))
    }

    /// Sends what is waiting, now. `nil` without a server or before registration.
    /// - Returns: how many items the server took.
    @discardableResult
    public func sendTelemetry() async -> Int? { await services.sendTelemetry() }

    /// Every exchange from now on, when it has ended. A listener that lags by 1,024 exchanges loses the oldest.
    public func exchanges() -> AsyncStream<ExchangeRecord> { services.exchanges.stream() }
}
