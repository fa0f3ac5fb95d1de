public import Cryptography
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the control plane keeps. Every method performs I/O, may be called from any task, and is atomic.
public protocol Repository: Sendable {
    func administrators() async throws -> [Administrator]
    /// Adds an administrator or replaces the one of that name.
    func save(_ administrator: Administrator) async throws
    func save(_ session: AdminSession) async throws
    func session(tokenDigest: SHA256Digest) async throws -> AdminSession?
    func removeSession(tokenDigest: SHA256Digest) async throws
    func removeSessions(expiredBefore date: Date) async throws

    func apps() async throws -> [App]
    func app(id: String) async throws -> App?
    func save(_ app: App) async throws

    func apiKeys(appID: String) async throws -> [APIKey]
    func apiKey(_ key: String) async throws -> APIKey?
    func save(_ key: APIKey) async throws

    func segments(appID: String) async throws -> [Segment]
    func segment(appID: String, name: String) async throws -> Segment?
    func save(_ segment: Segment) async throws
    /// Removes a segment and its items; published manifests stay.
    func removeSegment(appID: String, name: String) async throws

    func items(appID: String, segment: String) async throws -> [SegmentItem]
    /// Adds items or replaces those of the same URL.
    func save(_ items: [SegmentItem]) async throws
    /// Replaces every item of a segment.
    func replaceItems(appID: String, segment: String, with items: [SegmentItem]) async throws
    func removeItem(appID: String, segment: String, url: String) async throws

    func ingestJobs(appID: String, limit: Int) async throws -> [IngestJob]
    func ingestJob(id: String) async throws -> IngestJob?
    func save(_ job: IngestJob) async throws

    /// The newest first.
    func releases(appID: String, limit: Int) async throws -> [StoredRelease]
    func currentRelease(appID: String) async throws -> StoredRelease?
    /// Stores a release with its manifests and the segments' new published versions, in one transaction.
    /// - Throws: ``RepositoryError/conflict(_:)`` when the version is taken.
    func publish(_ release: StoredRelease, manifests: [SHA256Digest: Data], segments: [Segment]) async throws
    func manifest(_ digest: SHA256Digest) async throws -> Data?

    func devices(appID: String, limit: Int, offset: Int) async throws -> [Device]
    func deviceCount(appID: String) async throws -> Int
    func device(id: String) async throws -> Device?
    func save(_ device: Device) async throws

    /// Stores a batch once.
    /// - Returns: `false` when its id was stored before.
    func store(_ batch: TelemetryBatch, appID: String, receivedAt: Date) async throws -> Bool
    /// The newest progress of each device and segment.
    func progress(appID: String) async throws -> [(deviceID: String, progress: SegmentProgress)]
    func statistics(appID: String, from start: Date, to end: Date, sliceCount: Int) async throws -> AppStatistics

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
