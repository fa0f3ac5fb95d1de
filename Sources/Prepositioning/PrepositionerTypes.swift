public import Conditions
public import HTTPModel
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Prepositioner {
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
        /// Keys to trust; when empty, those that the server names at the first registration are trusted from then on.
        public var signingKeys: [SigningKey] = []
        public var platform = "linux"
        public var sdkVersion: String
        /// What the app wants otherwise than the release, from the start on.
        public var overrides = PolicyOverrides()
        /// Who knows the device's network and power.
        public var conditions: any ConditionsSource = ManualConditions()
        /// How good the network was measured to be; `nil` when too little is known.
        public var quality: @Sendable () -> QualityClass? = { nil }
        /// Where the device is: hours and days of the policy are local.
        public var timeZone: @Sendable () -> TimeZone = { .autoupdatingCurrent }
        /// Chance, from 0 up to 1: spreads the retries of many devices.
        public var randomFraction: @Sendable () -> Double = { .random(in: 0..<1) }

        /// Creates a configuration.
        public init(serverURL: HTTPURL, apiKey: String, bundleID: String, directory: String, sdkVersion: String) {
            self.serverURL = serverURL
            self.apiKey = apiKey
            self.bundleID = bundleID
            self.directory = directory
            self.sdkVersion = sdkVersion
        }
    }

    /// Who is told what happens: in order, from a thread of the pre-positioner's own. Must neither block nor call back.
    public struct Listener: Sendable {
        public var onTelemetry: @Sendable (TelemetryItem) -> Void = { _ in }
        public var onItemChange: @Sendable (ItemChange) -> Void = { _ in }
        /// The release in force: the one known at the start, every newer one, and `nil` when there is none.
        public var onRelease: @Sendable (Release?) -> Void = { _ in }

        /// Tells nobody.
        public init() {}
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
        /// The server refuses the API key; not retried until the next start, or until the app asks for it.
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
        /// Everything that stands against downloads, by the rules of the app as a whole.
        public var blockers: Set<PolicyBlocker>

        /// Creates a value.
        public init(
            registration: RegistrationState, subscribedSegments: Set<String>, releaseVersion: Int?, items: [ItemStatus],
            activeVersions: [String: Int], isSyncing: Bool, isEnabled: Bool, lastFailure: String?,
            blockers: Set<PolicyBlocker> = []
        ) {
            self.registration = registration
            self.subscribedSegments = subscribedSegments
            self.releaseVersion = releaseVersion
            self.items = items
            self.activeVersions = activeVersions
            self.isSyncing = isSyncing
            self.isEnabled = isEnabled
            self.lastFailure = lastFailure
            self.blockers = blockers
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
}
