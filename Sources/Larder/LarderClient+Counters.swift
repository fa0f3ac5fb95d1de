extension LarderClient {
    /// The sums over the app's exchanges and the downloads ahead of need so far, all of one moment.
    public var counters: ExchangeCounters { services.meter.counters }

    /// The URLs of the app's requests so far, without their queries, in the order in which they ended; the newest 1,000.
    public var requestedURLs: [String] { services.meter.requestedURLs }

    /// Begins the sums anew.
    public func clearCounters() { services.meter.clear() }
}
