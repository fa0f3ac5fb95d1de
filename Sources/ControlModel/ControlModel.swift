public import Cryptography
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One application of a customer.
public struct App: Sendable, Hashable, Codable {
    /// Such as "app_k3j…"; public.
    public var id: String
    public var name: String
    public var bundleID: String
    public var createdAt: Date
    public var policy: DownloadPolicy

    /// Creates a value.
    public init(id: String, name: String, bundleID: String, createdAt: Date, policy: DownloadPolicy) {
        self.id = id
        self.name = name
        self.bundleID = bundleID
        self.createdAt = createdAt
        self.policy = policy
    }
}

/// A key with which an app's devices register.
public struct APIKey: Sendable, Hashable, Codable {
    /// The key itself: it is in every copy of the app, so it is shown again in the portal.
    public var key: String
    public var appID: String
    public var name: String
    public var createdAt: Date
    /// Devices with a revoked key are turned away.
    public var revokedAt: Date?

    /// Creates a value.
    public init(key: String, appID: String, name: String, createdAt: Date, revokedAt: Date? = nil) {
        self.key = key
        self.appID = appID
        self.name = name
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }
}

/// A named set of URLs as the operator edits it; publishing freezes it into a manifest.
public struct Segment: Sendable, Hashable, Codable {
    public var appID: String
    public var name: String
    public var note: String
    public var createdAt: Date
    /// Rises when a publication finds the items changed.
    public var publishedVersion: Int
    public var publishedManifest: SHA256Digest?

    /// Creates a value.
    public init(
        appID: String, name: String, note: String, createdAt: Date, publishedVersion: Int = 0,
        publishedManifest: SHA256Digest? = nil
    ) {
        self.appID = appID
        self.name = name
        self.note = note
        self.createdAt = createdAt
        self.publishedVersion = publishedVersion
        self.publishedManifest = publishedManifest
    }
}

/// One URL of a segment, with what ingest found.
public struct SegmentItem: Sendable, Hashable, Codable {
    /// Where an item stands.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// Waiting to be fetched.
        case pending
        /// Fetched and good.
        case ready
        /// Fetched; published, but someone should look.
        case warning
        /// Not published.
        case failed
    }

    public var appID: String
    public var segment: String
    public var url: String
    public var state: State
    public var byteCount: Int64
    public var sha256: SHA256Digest?
    public var eTag: String?
    public var lastModified: String?
    public var contentType: String?
    public var contentEncoding: String?
    public var priority: Int
    public var isEssential: Bool
    /// Sentences: what was found and what to do.
    public var findings: [String]
    public var checkedAt: Date?

    /// Creates a value that waits to be fetched.
    public init(appID: String, segment: String, url: String, priority: Int = 0, isEssential: Bool = true) {
        self.appID = appID
        self.segment = segment
        self.url = url
        self.state = .pending
        self.byteCount = 0
        self.priority = priority
        self.isEssential = isEssential
        self.findings = []
    }
}

/// Where an ingest takes its URLs from.
public enum IngestSource: Sendable, Hashable, Codable {
    case urls([String])
    /// A sitemap or sitemap index, plain or gzip.
    case sitemap(String)
}

/// One run of an ingest.
public struct IngestJob: Sendable, Hashable, Codable {
    /// Where a job stands.
    public enum State: String, Sendable, Hashable, Codable { case running, succeeded, failed }
    public var id: String
    public var appID: String
    public var segment: String
    public var source: IngestSource
    /// Replace the segment's items by those found, instead of adding.
    public var replacesItems: Bool
    public var state: State
    public var itemsTotal: Int
    public var itemsDone: Int
    public var itemsFailed: Int
    public var startedAt: Date
    public var endedAt: Date?
    public var failure: String?

    /// Creates a running job.
    public init(id: String, appID: String, segment: String, source: IngestSource, replacesItems: Bool, startedAt: Date)
    {
        self.id = id
        self.appID = appID
        self.segment = segment
        self.source = source
        self.replacesItems = replacesItems
        self.state = .running
        self.itemsTotal = 0
        self.itemsDone = 0
        self.itemsFailed = 0
        self.startedAt = startedAt
    }
}

/// A release as the server keeps it.
public struct StoredRelease: Sendable, Hashable, Codable {
    public var release: Release
    /// The signed document's bytes, as devices get them.
    public var document: Data
    public var publishedBy: String

    /// Creates a value.
    public init(release: Release, document: Data, publishedBy: String) {
        self.release = release
        self.document = document
        self.publishedBy = publishedBy
    }
}

/// One installation of an app.
public struct Device: Sendable, Hashable, Codable {
    public var id: String
    public var appID: String
    /// SHA-256 of the device's token.
    public var tokenDigest: SHA256Digest
    public var apiKey: String
    public var platform: String
    public var sdkVersion: String
    public var registeredAt: Date
    public var lastSeenAt: Date

    /// Creates a value.
    public init(
        id: String, appID: String, tokenDigest: SHA256Digest, apiKey: String, platform: String, sdkVersion: String,
        registeredAt: Date, lastSeenAt: Date
    ) {
        self.id = id
        self.appID = appID
        self.tokenDigest = tokenDigest
        self.apiKey = apiKey
        self.platform = platform
        self.sdkVersion = sdkVersion
        self.registeredAt = registeredAt
        self.lastSeenAt = lastSeenAt
    }
}

/// A person who signs in to the portal.
public struct Administrator: Sendable, Hashable {
    public var name: String
    public var passwordHash: String

    /// Creates a value.
    public init(name: String, passwordHash: String) {
        self.name = name
        self.passwordHash = passwordHash
    }
}

/// A signed-in administrator; the token is in the cookie or the `Authorization` field.
public struct AdminSession: Sendable, Hashable {
    public var tokenDigest: SHA256Digest
    public var administrator: String
    /// Protects the portal's forms against cross-site requests.
    public var formToken: String
    public var expiresAt: Date

    /// Creates a value.
    public init(tokenDigest: SHA256Digest, administrator: String, formToken: String, expiresAt: Date) {
        self.tokenDigest = tokenDigest
        self.administrator = administrator
        self.formToken = formToken
        self.expiresAt = expiresAt
    }
}

/// The dashboard's numbers for one app over a span of time.
public struct AppStatistics: Sendable, Hashable, Codable {
    /// One slice of time.
    public struct Slice: Sendable, Hashable, Codable {
        public var start: Date
        /// Exchanges by ``ExchangeRecord/Outcome`` raw value.
        public var exchanges: [String: Int]
        /// Body bytes served from the device instead of the network.
        public var savedByteCount: Int64
        /// Bytes on the wire for app requests.
        public var wireByteCount: Int64
        /// Median milliseconds of a hit and of a miss; `nil` without any.
        public var hitMilliseconds: Double?
        public var missMilliseconds: Double?
        /// For each hit, how much faster than the median miss of the span it was, summed.
        public var savedMilliseconds: Double

        /// Creates a value.
        public init(
            start: Date, exchanges: [String: Int] = [:], savedByteCount: Int64 = 0, wireByteCount: Int64 = 0,
            hitMilliseconds: Double? = nil, missMilliseconds: Double? = nil, savedMilliseconds: Double = 0
        ) {
            self.start = start
            self.exchanges = exchanges
            self.savedByteCount = savedByteCount
            self.wireByteCount = wireByteCount
            self.hitMilliseconds = hitMilliseconds
            self.missMilliseconds = missMilliseconds
            self.savedMilliseconds = savedMilliseconds
        }
    }

    public var slices: [Slice] = []
    /// The whole span in one.
    public var total: Slice
    /// Pre-positioned items by ``ItemOutcome/Outcome`` raw value, with their bytes.
    public var outcomes: [String: OutcomeSum] = [:]
    /// Events by name.
    public var events: [String: Int] = [:]
    /// Items devices had to drop, by reason.
    public var losses: [String: Int] = [:]
    public var deviceCount = 0

    /// Count and bytes of an outcome.
    public struct OutcomeSum: Sendable, Hashable, Codable {
        public var count: Int
        public var byteCount: Int64
        /// Creates a value.
        public init(count: Int = 0, byteCount: Int64 = 0) {
            self.count = count
            self.byteCount = byteCount
        }
    }

    /// Creates empty statistics.
    public init(start: Date) { total = Slice(start: start) }
}
