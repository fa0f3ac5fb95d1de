public import Conditions

/// Sums over the app's exchanges since the start, or since they were cleared.
public struct ExchangeCounters: Sendable, Hashable {
    /// Requests that were answered from the device: their number, bytes, and the time until the body's end.
    public var fromDeviceCount = 0
    public var fromDeviceByteCount: Int64 = 0
    public var fromDeviceDuration = Duration.zero
    /// The same for requests that went to the network.
    public var fromNetworkCount = 0
    public var fromNetworkByteCount: Int64 = 0
    public var fromNetworkDuration = Duration.zero
    /// Requests that the cache had no part in.
    public var passedThroughCount = 0
    /// Items that were downloaded ahead of need, and their bytes.
    public var downloadedCount = 0
    public var downloadedByteCount: Int64 = 0
    /// The URLs of the newest requests, without their queries.
    public var requestedURLs: [String] = []
    /// The network that the last exchange used.
    public var networkKind = DeviceConditions.NetworkKind.none

    /// Nothing.
    public init() {}

    /// All requests.
    public var requestCount: Int { fromDeviceCount + fromNetworkCount + passedThroughCount }
}

extension LarderClient {
    /// The sums so far.
    public var counters: ExchangeCounters { ExchangeCounters() }

    /// Begins the sums anew.
    public func clearCounters() {}
}
