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
    private struct State {
        var sums = ExchangeCounters()
        /// Added up as they come, because an exchange must not pay for durations.
        var fromDeviceMicroseconds: Int64 = 0
        var fromNetworkMicroseconds: Int64 = 0
        var newest = NewestURLs()

        mutating func note(_ record: ExchangeRecord) {
            newest.append(record.url)
            switch record.outcome {
            case .pinnedHit, .cacheHit, .revalidated, .staleOnError:
                sums.fromDeviceCount += 1
                sums.fromDeviceByteCount += record.bodyByteCount
                fromDeviceMicroseconds += record.totalMicroseconds
            case .miss:
                sums.fromNetworkCount += 1
                sums.fromNetworkByteCount += record.bodyByteCount
                fromNetworkMicroseconds += record.totalMicroseconds
            case .passedThrough: sums.passedThroughCount += 1
            case .failed: sums.failedCount += 1
            }
        }

        var counters: ExchangeCounters {
            var counters = sums
            counters.fromDeviceDuration = .microseconds(fromDeviceMicroseconds)
            counters.fromNetworkDuration = .microseconds(fromNetworkMicroseconds)
            return counters
        }
    }

    private let conditions: any ConditionsSource
    private let state = Locked(State())

    init(conditions: any ConditionsSource) { self.conditions = conditions }

    var counters: ExchangeCounters { state.withLock { $0.counters } }

    /// Begins the sums anew.
    func clear() { state.withLock { $0 = State() } }

    /// The URLs of the newest requests, oldest first.
    var requestedURLs: [String] { state.withLock { $0.newest.inOrder } }

    /// Adds an exchange.
    func note(_ record: ExchangeRecord) {
        let usesNetwork = record.outcome != .pinnedHit && record.outcome != .cacheHit
        let network = usesNetwork ? conditions.conditions.network.kind : nil
        state.withLock { state in
            state.note(record)
            if let network { state.sums.networkKind = network }
        }
    }

    /// Adds what pre-positioning tells; only items that came onto the device count.
    func note(_ item: TelemetryItem) {
        guard case .outcome(let outcome) = item, outcome.outcome == .prepositioned else { return }
        state.withLock { state in
            state.sums.downloadedItemCount += 1
            state.sums.downloadedByteCount += outcome.byteCount
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
        oldest = oldest + 1 < Self.countMax ? oldest + 1 : 0
    }

    var inOrder: [String] { Array(urls[oldest...] + urls[..<oldest]) }
}
