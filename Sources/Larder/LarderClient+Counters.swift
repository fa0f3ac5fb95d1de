extension LarderClient {
    /// The sums over the app's exchanges and the downloads ahead of need so far, all of one moment.
    public var counters: ExchangeCounters { services.meter.counters }

    /// Begins the sums anew.
    public func clearCounters() { services.meter.clear() }
}
