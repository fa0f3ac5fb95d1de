#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// `PUT /v1/devices/{id}/push-token`: where notifications for a device go.
public struct PushTokenRequest: Sendable, Hashable, Codable {
    /// The service that delivers: "apns", "fcm".
    public var service: String
    /// The service's name for the device; hexadecimal for APNs.
    public var token: String

    /// Creates a value.
    public init(service: String, token: String) {
        self.service = service
        self.token = token
    }
}

/// `POST /v1/devices`: a device introduces itself.
public struct RegistrationRequest: Sendable, Hashable, Codable {
    public var apiKey: String
    /// The app's bundle identifier.
    public var bundleID: String
    /// The id from an earlier registration with this key, to be kept.
    public var deviceID: String?
    public var platform: String
    public var sdkVersion: String

    /// Creates a value.
    public init(apiKey: String, bundleID: String, deviceID: String?, platform: String, sdkVersion: String) {
        self.apiKey = apiKey
        self.bundleID = bundleID
        self.deviceID = deviceID
        self.platform = platform
        self.sdkVersion = sdkVersion
    }
}

/// The answer to a registration.
public struct RegistrationResponse: Sendable, Hashable, Codable {
    public var deviceID: String
    /// Bearer token for batches; secret.
    public var deviceToken: String
    public var appID: String
    /// The keys whose signatures the device shall trust.
    public var signingKeys: [SigningKey]

    /// Creates a value.
    public init(deviceID: String, deviceToken: String, appID: String, signingKeys: [SigningKey]) {
        self.deviceID = deviceID
        self.deviceToken = deviceToken
        self.appID = appID
        self.signingKeys = signingKeys
    }
}

/// One exchange of the app, as the device saw it. URLs carry no query: it may hold secrets.
public struct ExchangeRecord: Sendable, Hashable, Codable {
    /// How the app got its answer.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// Served from pre-positioned content (CACHE_FETCH of the retired SDK).
        case pinnedHit
        /// Served from the opportunistic cache.
        case cacheHit
        /// Served from the cache after a 304.
        case revalidated
        /// Served stale because the origin failed.
        case staleOnError
        /// Fetched (CACHE_MISS).
        case miss
        /// Not handled by the cache: other methods, `no-store`, bypass.
        case passedThrough
        case failed
    }

    public var date: Date
    public var method: String
    /// Without query.
    public var url: String
    /// 0 when no response came.
    public var status: Int
    public var outcome: Outcome
    /// The member this cache added to `Cache-Status`.
    public var cacheStatus: String
    /// Until the head was handed to the app.
    public var firstByteMicroseconds: Int64
    /// Until the body's end.
    public var totalMicroseconds: Int64
    /// Bytes handed to the app.
    public var bodyByteCount: Int64
    /// Bytes on the wire, both ways; 0 for a hit.
    public var wireByteCount: Int64
    public var httpVersion: String
    /// The segments that held the entry.
    public var segments: [String]
    public var errorCode: String?
    /// The names of the app's timed events that ran when the exchange began, in order; `nil` for none.
    public var events: [String]?

    /// Creates a value.
    public init(
        date: Date, method: String, url: String, status: Int, outcome: Outcome, cacheStatus: String,
        firstByteMicroseconds: Int64, totalMicroseconds: Int64, bodyByteCount: Int64, wireByteCount: Int64,
        httpVersion: String = "", segments: [String] = [], errorCode: String? = nil,
        events: [String]? = nil
    ) {
        self.date = date
        self.method = method
        self.url = url
        self.status = status
        self.outcome = outcome
        self.cacheStatus = cacheStatus
        self.firstByteMicroseconds = firstByteMicroseconds
        self.totalMicroseconds = totalMicroseconds
        self.bodyByteCount = bodyByteCount
        self.wireByteCount = wireByteCount
        self.httpVersion = httpVersion
        self.segments = segments
        self.errorCode = errorCode
        self.events = events
    }
}

/// An event of the app: instantaneous, or timed when it has a duration.
public struct AppEvent: Sendable, Hashable, Codable {
    public var name: String
    public var date: Date
    public var durationMicroseconds: Int64?
    /// The exchanges that began while a timed event ran.
    public var traffic: EventTraffic?

    /// Creates a value.
    public init(name: String, date: Date, durationMicroseconds: Int64? = nil, traffic: EventTraffic? = nil) {
        self.name = name
        self.date = date
        self.durationMicroseconds = durationMicroseconds
        self.traffic = traffic
    }
}

/// The exchanges between the two ends of a timed event, in sum.
public struct EventTraffic: Sendable, Hashable, Codable {
    public var exchangeCount = 0
    /// Of them, answered from pre-positioned content or the cache.
    public var fromDeviceCount = 0
    public var failedCount = 0
    /// Bytes on the wire, both ways.
    public var wireByteCount: Int64 = 0
    /// The time of all exchanges together.
    public var totalMicroseconds: Int64 = 0

    /// Nothing.
    public init() {}
}

/// A server's chain that has none of the keys pinned for it, under a rule that only reports.
public struct PinFailure: Sendable, Hashable, Codable {
    public var host: String
    /// The digests of the public keys that the server showed, leaf first, as ``PinRule/digests`` has them.
    public var shownDigests: [String]
    public var date: Date

    /// Creates a value.
    public init(host: String, shownDigests: [String], date: Date) {
        self.host = host
        self.shownDigests = shownDigests
        self.date = date
    }
}

/// What became of a pre-positioned item: the ledger's line.
public struct ItemOutcome: Sendable, Hashable, Codable {
    /// The fates of an item.
    public enum Outcome: String, Sendable, Codable, CaseIterable {
        /// Downloaded ahead of need.
        case prepositioned
        /// Served to the app before it changed (told once).
        case used
        /// Asked for before it had arrived.
        case late
        /// Replaced or dropped without having been used.
        case unused
        case evicted
        case replaced
        case failed
    }
    public var segment: String
    public var version: Int
    /// Without query.
    public var url: String
    public var outcome: Outcome
    public var byteCount: Int64
    public var date: Date

    /// Creates a value.
    public init(segment: String, version: Int, url: String, outcome: Outcome, byteCount: Int64, date: Date) {
        self.segment = segment
        self.version = version
        self.url = url
        self.outcome = outcome
        self.byteCount = byteCount
        self.date = date
    }
}

/// How far a device is with a segment.
public struct SegmentProgress: Sendable, Hashable, Codable {
    public var segment: String
    public var version: Int
    public var itemsReady: Int
    public var itemsFailed: Int
    public var itemsTotal: Int
    public var isActive: Bool
    public var date: Date

    /// Creates a value.
    public init(
        segment: String, version: Int, itemsReady: Int, itemsFailed: Int, itemsTotal: Int, isActive: Bool, date: Date
    ) {
        self.segment = segment
        self.version = version
        self.itemsReady = itemsReady
        self.itemsFailed = itemsFailed
        self.itemsTotal = itemsTotal
        self.isActive = isActive
        self.date = date
    }
}

/// One thing a device tells the server.
public enum TelemetryItem: Sendable, Hashable, Codable {
    case exchange(ExchangeRecord)
    case event(AppEvent)
    case outcome(ItemOutcome)
    case progress(SegmentProgress)
    case pinFailure(PinFailure)
}

/// `POST /v1/batches/{id}`: what a device saw, told once however often it is sent.
public struct TelemetryBatch: Sendable, Hashable, Codable {
    /// Unique; the server stores a batch id once.
    public var id: String
    public var deviceID: String
    public var createdAt: Date
    public var items: [TelemetryItem]
    /// Items dropped since the batch before, by reason ("queueFull", "unreadable", …).
    public var losses: [String: Int]

    /// Creates a value.
    public init(id: String, deviceID: String, createdAt: Date, items: [TelemetryItem], losses: [String: Int]) {
        self.id = id
        self.deviceID = deviceID
        self.createdAt = createdAt
        self.items = items
        self.losses = losses
    }
}

/// A problem document (RFC 9457): every error answer of the server.
public struct ProblemDocument: Error, Sendable, Hashable, Codable {
    /// A URI that names the kind, relative to the server: "/problems/unknown-key".
    public var type: String
    public var title: String
    public var status: Int
    /// What was wrong, where, and what to do.
    public var detail: String
    public var instance: String?

    /// Creates a value.
    public init(type: String, title: String, status: Int, detail: String, instance: String? = nil) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
    }
}
