public import Conditions
import Primitives
import Wire

/// Sums over the app's exchanges since the start, or since they were cleared.
///
/// A redirect that is followed is an exchange of its own. Exchanges count when their bodies have ended.
public struct ExchangeCounters: Sendable, Hashable {
    /// Requests that were answered from the device: their number, bytes, and the time until the body's end. A body that the
    /// origin has confirmed as current counts here too.
    public var fromDeviceCount = 0
    public var fromDeviceByteCount: Int64 = 0
    public var fromDeviceDuration = Duration.zero
    /// The same for requests that went to the network.
    public var fromNetworkCount = 0
    public var fromNetworkByteCount: Int64 = 0
    public var fromNetworkDuration = Duration.zero
    /// Requests that the cache had no part in.
    public var passedThroughCount = 0
    /// Requests that got no answer, or not all of it.
    public var failedCount = 0
    /// Items of segments that came onto the device, and the bytes of their bodies.
    public var downloadedItemCount = 0
    public var downloadedByteCount: Int64 = 0
    /// The network in use as the last exchange that needed it ended; none before the first.
    public var networkKind = DeviceConditions.NetworkKind.none

    /// Nothing.
    public init() {}

    /// All requests.
    public var requestCount: Int { fromDeviceCount + fromNetworkCount + passedThroughCount + failedCount }
}

/// Keeps the counters, exact however many threads add to them.
final class ExchangeMeter: Sendable {
    private let conditions: any ConditionsSource
    private let state = Locked(ExchangeCounters())
    private let newest = Locked(NewestURLs())

    init(conditions: any ConditionsSource) { self.conditions = conditions }

    var counters: ExchangeCounters { state.withLock { $0 } }

    /// Begins the sums anew.
    func clear() {
        state.withLock { $0 = ExchangeCounters() }
        newest.withLock { $0 = NewestURLs() }
    }

    /// The URLs of the newest requests, oldest first.
    var requestedURLs: [String] { newest.withLock { $0.inOrder } }

    /// Adds an exchange.
    func note(_ record: ExchangeRecord) {
        newest.withLock { $0.append(record.url) }
        let usesNetwork = record.outcome != .pinnedHit && record.outcome != .cacheHit
        let network = usesNetwork ? conditions.conditions.network.kind : nil
        state.withLock { sums in
            if let network { sums.networkKind = network }
            switch record.outcome {
            case .pinnedHit, .cacheHit, .revalidated, .staleOnError:
                sums.fromDeviceCount += 1
                sums.fromDeviceByteCount += record.bodyByteCount
                sums.fromDeviceDuration += .microseconds(record.totalMicroseconds)
            case .miss:
                sums.fromNetworkCount += 1
                sums.fromNetworkByteCount += record.bodyByteCount
                sums.fromNetworkDuration += .microseconds(record.totalMicroseconds)
            case .passedThrough: sums.passedThroughCount += 1
            case .failed: sums.failedCount += 1
            }
        }
    }

    /// Adds what pre-positioning tells; only items that came onto the device count.
    func note(_ item: TelemetryItem) {
        guard case .outcome(let outcome) = item, outcome.outcome == .prepositioned else { return }
        state.withLock { sums in
            sums.downloadedItemCount += 1
            sums.downloadedByteCount += outcome.byteCount
        }
    }
}

/// The newest URLs of many.
struct NewestURLs: Sendable {
    static let countMax = 1_000

    private var urls: [String] = []
    /// Where the oldest stands once there are as many as may be.
    private var oldest = 0

    /// Adds a URL in place of the oldest one when there are as many as may be.
    mutating func append(_ url: String) {
        if urls.count < Self.countMax { return urls.append(url) }
        urls[oldest] = url
        oldest = (oldest + 1) % Self.countMax
    }

    var inOrder: [String] { Array(urls[oldest...] + urls[..<oldest]) }
}
