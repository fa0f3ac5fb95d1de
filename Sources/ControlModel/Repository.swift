public import Cryptography
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the control plane keeps. Every method performs I/O, may be called from any task, and is atomic.
public protocol Repository: Sendable {
    // MARK: - Administrators

    func administrators() async throws -> [Administrator]
    /// Adds an administrator or replaces the one of that name.
    func save(_ administrator: Administrator) async throws
    func save(_ session: AdminSession) async throws
    func session(tokenDigest: SHA256Digest) async throws -> AdminSession?
    func removeSession(tokenDigest: SHA256Digest) async throws
    func removeSessions(expiredBefore date: Date) async throws
    /// Ends every session of an administrator.
    func removeSessions(administrator: String) async throws

    // MARK: - Apps and keys

    func apps() async throws -> [App]
    func app(id: String) async throws -> App?
    func save(_ app: App) async throws

    func apiKeys(appID: String) async throws -> [APIKey]
    func apiKey(_ key: String) async throws -> APIKey?
    func save(_ key: APIKey) async throws

    // MARK: - Segments and ingests

    /// By name.
    func segments(appID: String) async throws -> [Segment]
    func segment(appID: String, name: String) async throws -> Segment?
    func save(_ segment: Segment) async throws
    /// Removes a segment and its items; published manifests stay.
    func removeSegment(appID: String, name: String) async throws

    /// By priority, then URL.
    func items(appID: String, segment: String) async throws -> [SegmentItem]
    /// Adds items or replaces those of the same URL.
    func save(_ items: [SegmentItem]) async throws
    /// Replaces every item of a segment.
    func replaceItems(appID: String, segment: String, with items: [SegmentItem]) async throws
    func removeItem(appID: String, segment: String, url: String) async throws

    /// The newest first.
    func ingestJobs(appID: String, limit: Int) async throws -> [IngestJob]
    func ingestJob(id: String) async throws -> IngestJob?
    /// The jobs of every app that are recorded as running.
    func runningIngestJobs() async throws -> [IngestJob]
    /// Adds a job or replaces the one of that id; may forget the oldest ended jobs of the app.
    func save(_ job: IngestJob) async throws

    // MARK: - Releases

    /// The newest first.
    func releases(appID: String, limit: Int) async throws -> [StoredRelease]
    func release(appID: String, version: Int) async throws -> StoredRelease?
    func currentRelease(appID: String) async throws -> StoredRelease?
    /// The highest version under which each segment name was ever published, also of segments since removed.
    func highestSegmentVersions(appID: String) async throws -> [String: Int]
    /// Stores a release with its manifests and the segments' new published versions, in one transaction.
    ///
    /// Of the segments only the published version and manifest are written; one that is gone stays gone.
    /// - Throws: ``RepositoryError/conflict(_:)`` when the version is taken.
    func publish(_ release: StoredRelease, manifests: [SHA256Digest: Data], segments: [Segment]) async throws
    func manifest(_ digest: SHA256Digest) async throws -> Data?

    // MARK: - Devices

    /// The one seen last first.
    func devices(appID: String, limit: Int, offset: Int) async throws -> [Device]
    func deviceCount(appID: String) async throws -> Int
    func device(id: String) async throws -> Device?
    /// Adds a device or renews the one of that id, whose push token stays.
    func save(_ device: Device) async throws
    /// Notes when a device was seen; one that is gone stays gone.
    func noteSeen(deviceID: String, at date: Date) async throws
    /// Sets a device's push token; one that is gone stays gone.
    func setPushToken(deviceID: String, to token: PushTokenRequest?) async throws
    /// Forgets a device, its push token and its progress; what it told before stays, without saying whose it was.
    func removeDevice(id: String) async throws

    /// Stores a batch once.
    /// - Returns: `false` when the device's batch of that id was stored before.
    func store(_ batch: TelemetryBatch, appID: String, receivedAt: Date) async throws -> Bool
    /// The newest progress of each device and segment, the newest first, 10,000 at most.
    func progress(appID: String) async throws -> [(deviceID: String, progress: SegmentProgress)]
    /// Sums up what devices told about a span of time, `start` included and `end` not.
    ///
    /// Cost follows the number of exchanges in the span. Of events and losses the 200 most frequent names are told.
    func statistics(appID: String, from start: Date, to end: Date, sliceCount: Int) async throws -> AppStatistics
    /// Sums up the events of a span of time by name, the most frequent 200, the most frequent first.
    func eventStatistics(appID: String, from start: Date, to end: Date) async throws -> [EventStatistics]
    /// The chains that broke pins in a span of time, the newest first, 100 at most.
    func pinFailures(appID: String, from start: Date, to end: Date) async throws -> [PinFailureSum]
    /// The latest events of a device with the exchanges since the first of them, or its latest exchanges when it told of
    /// no event; the newest first.
    func timeline(deviceID: String, eventCountMax: Int, exchangeCountMax: Int) async throws -> [TimelineEntry]
    /// Forgets the batches received before a date, what they told and their ids, and older progress; in small steps.
    func removeTelemetry(before date: Date) async throws

    // MARK: - The server itself

    /// A small named value of the server itself, such as its signing key.
    func setting(_ name: String) async throws -> Data?
    func setSetting(_ name: String, to value: Data) async throws
}

/// What a repository can refuse.
public enum RepositoryError: Error, Sendable, Hashable, CustomStringConvertible {
    case conflict(String)
    case unusable(String)

    public var description: String {
        switch self {
        case .conflict(let text), .unusable(let text): text
        }
    }
}
