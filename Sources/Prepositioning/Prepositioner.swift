public import ContentStore
public import HTTPModel
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    public import Foundation
#endif

/// Puts the items of subscribed segments on the device ahead of need.
public final class Prepositioner: Sendable {
    /// What a pre-positioner is given.
    public struct Configuration: Sendable {
        /// The control plane's base URL.
        public var serverURL: HTTPURL
        public var apiKey: String
        public var bundleID: String
        /// Joined the first time this API key is seen on the device.
        public var initialSegments: Set<String> = []
        /// The directory of the journal.
        public var directory: String
        /// Keys to trust besides those the server names at registration; when not empty, only these are trusted.
        public var signingKeys: [SigningKey] = []
        public var platform = "linux"
        public var sdkVersion: String

        /// Creates a configuration.
        public init(serverURL: HTTPURL, apiKey: String, bundleID: String, directory: String, sdkVersion: String) {
            self.serverURL = serverURL
            self.apiKey = apiKey
            self.bundleID = bundleID
            self.directory = directory
            self.sdkVersion = sdkVersion
        }
    }

    /// Where an item stands.
    public enum ItemState: String, Sendable, Hashable, Codable, CaseIterable {
        case queued, downloading, ready, failed
    }

    /// One item of a subscribed segment version.
    public struct ItemStatus: Sendable, Hashable {
        public var segment: String
        public var version: Int
        public var url: String
        public var state: ItemState
        public var byteCount: Int64
        public var bytesReceived: Int64
        public var isEssential: Bool
        /// The last failure, for people.
        public var failure: String?

        /// Creates a value.
        public init(
            segment: String, version: Int, url: String, state: ItemState, byteCount: Int64, bytesReceived: Int64,
            isEssential: Bool, failure: String?
        ) {
            self.segment = segment
            self.version = version
            self.url = url
            self.state = state
            self.byteCount = byteCount
            self.bytesReceived = bytesReceived
            self.isEssential = isEssential
            self.failure = failure
        }
    }

    /// How the device stands with the server.
    public enum RegistrationState: Sendable, Hashable {
        case notRegistered
        case registered(deviceID: String, deviceToken: String, appID: String)
        /// The server refuses the API key; not retried until the next start.
        case badCredentials(String)
        /// The server withdrew the registration.
        case withdrawn
    }

    /// A view of the whole at one moment.
    public struct Status: Sendable, Hashable {
        public var registration: RegistrationState
        public var subscribedSegments: Set<String>
        public var releaseVersion: Int?
        public var items: [ItemStatus]
        /// The active version of each segment that has one.
        public var activeVersions: [String: Int]
        public var isSyncing: Bool
        public var isEnabled: Bool
        public var lastFailure: String?

        /// Creates a value.
        public init(
            registration: RegistrationState, subscribedSegments: Set<String>, releaseVersion: Int?, items: [ItemStatus],
            activeVersions: [String: Int], isSyncing: Bool, isEnabled: Bool, lastFailure: String?
        ) {
            self.registration = registration
            self.subscribedSegments = subscribedSegments
            self.releaseVersion = releaseVersion
            self.items = items
            self.activeVersions = activeVersions
            self.isSyncing = isSyncing
            self.isEnabled = isEnabled
            self.lastFailure = lastFailure
        }

        /// Whether every item of every subscribed segment of the release is on the device.
        public var isComplete: Bool { !isSyncing && items.allSatisfy { $0.state == .ready } }
    }

    /// What a sync came to.
    public struct SyncReport: Sendable, Hashable {
        public var releaseVersion: Int?
        public var itemsDownloaded = 0
        public var itemsReused = 0
        public var itemsFailed = 0
        public var wireByteCount: Int64 = 0
        /// One sentence for each thing that was refused or failed.
        public var failures: [String] = []

        /// A report of nothing.
        public init() {}
    }

    /// Opens the journal and takes up what was left unfinished; no network yet.
    /// - Throws: a description of why the journal cannot be used.
    public init(
        configuration: Configuration, store: ContentStore, transport: any HTTPTransport, activity: ActivityGate,
        timekeeper: any Timekeeping, onTelemetry: @escaping @Sendable (TelemetryItem) -> Void = { _ in }
    ) throws { fatalError("stub") }

    /// Registers, syncs, and keeps syncing at the release's interval until the task is cancelled.
    public func run() async { fatalError("stub") }

    /// Replaces the set of subscribed segments (durably) and syncs soon; content that no subscribed segment holds is purged at once.
    public func subscribe(to segments: Set<String>) { fatalError("stub") }

    /// One sync now: registration if needed, release pointer, manifests, downloads, switch. Joins one that is running.
    @discardableResult
    public func sync() async -> SyncReport { fatalError("stub") }

    /// Where everything stands.
    public var status: Status { fatalError("stub") }

    /// The status now and after every change; a slow listener sees the newest only.
    public func statuses() -> AsyncStream<Status> { fatalError("stub") }

    /// Notes that a request was answered, for the ledger of outcomes.
    public func noteExchange(_ record: ExchangeRecord) { fatalError("stub") }

    /// Forgets registration, subscription and journal, and releases what segments hold.
    public func unregister() { fatalError("stub") }
}
