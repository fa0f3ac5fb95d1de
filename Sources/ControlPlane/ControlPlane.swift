public import ControlModel
public import Cryptography
import HTTPModel
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The rules of the server: apps, keys, segments, ingest, releases, devices, statistics, over a repository.
///
/// Refusals are thrown as ``ProblemDocument``, ready for the caller: what, where, what to do.
public final class ControlPlane: Sendable {
    /// The limits of the control plane.
    public struct Configuration: Sendable, Hashable {
        public var itemsPerSegmentMax = 10_000
        public var itemByteCountMax: Int64 = 512 << 20
        public var concurrentIngestFetches = 6
        public var sessionSeconds = 12 * 3_600

        /// The defaults.
        public init() {}
    }

    /// Creates the control plane and its signing key if there is none.
    public init(
        configuration: Configuration = Configuration(), repository: any Repository, transport: any HTTPTransport,
        timekeeper: any Timekeeping
    ) async throws { fatalError("stub") }

    // MARK: - Administrators

    /// Makes an administrator or sets the password of one (8 characters at least).
    public func setAdministrator(name: String, password: String) async throws { fatalError("stub") }
    public func hasAdministrators() async throws -> Bool { fatalError("stub") }
    /// Signs in; slow on purpose. Ten failures for a name in a minute shut it for a minute (429).
    /// - Returns: the secret token and the session.
    public func signIn(name: String, password: String) async throws -> (token: String, session: AdminSession) {
        fatalError("stub")
    }
    /// The session of a token; `nil` when unknown or expired.
    public func session(token: String) async throws -> AdminSession? { fatalError("stub") }
    public func signOut(token: String) async throws { fatalError("stub") }

    // MARK: - Apps and keys

    public func apps() async throws -> [App] { fatalError("stub") }
    /// - Throws: a 404 problem.
    public func app(id: String) async throws -> App { fatalError("stub") }
    public func createApp(name: String, bundleID: String) async throws -> App { fatalError("stub") }
    public func updateApp(id: String, name: String, bundleID: String, policy: DownloadPolicy) async throws -> App {
        fatalError("stub")
    }
    public func apiKeys(appID: String) async throws -> [APIKey] { fatalError("stub") }
    public func createAPIKey(appID: String, name: String) async throws -> APIKey { fatalError("stub") }
    public func revokeAPIKey(appID: String, key: String) async throws -> APIKey { fatalError("stub") }

    // MARK: - Segments and ingest

    public func segments(appID: String) async throws -> [Segment] { fatalError("stub") }
    public func segment(appID: String, name: String) async throws -> Segment { fatalError("stub") }
    /// Names are 1 to 64 of letters, digits, `.`, `_`, `-`.
    public func createSegment(appID: String, name: String, note: String) async throws -> Segment { fatalError("stub") }
    public func removeSegment(appID: String, name: String) async throws { fatalError("stub") }
    public func items(appID: String, segment: String) async throws -> [SegmentItem] { fatalError("stub") }
    public func updateItem(appID: String, segment: String, url: String, priority: Int, isEssential: Bool) async throws
        -> SegmentItem
    { fatalError("stub") }
    public func removeItem(appID: String, segment: String, url: String) async throws { fatalError("stub") }
    /// Starts an ingest in the background: finds the URLs, fetches each as a device would, records what it found.
    public func startIngest(appID: String, segment: String, source: IngestSource, replacesItems: Bool) async throws
        -> IngestJob
    { fatalError("stub") }
    public func ingestJob(id: String) async throws -> IngestJob { fatalError("stub") }
    public func ingestJobs(appID: String, limit: Int) async throws -> [IngestJob] { fatalError("stub") }
    /// Returns when a job has ended.
    public func waitForIngest(id: String) async throws -> IngestJob { fatalError("stub") }

    // MARK: - Releases

    /// Freezes every segment's good items into signed manifests and makes a new release of them.
    /// - Throws: a 409 problem when items are still pending, or nothing would change.
    public func publish(appID: String, by administrator: String) async throws -> StoredRelease { fatalError("stub") }
    /// Publishes the content of an earlier release again, under a new version.
    public func rollBack(appID: String, toVersion version: Int, by administrator: String) async throws -> StoredRelease
    { fatalError("stub") }
    public func releases(appID: String, limit: Int) async throws -> [StoredRelease] { fatalError("stub") }
    public func currentRelease(appID: String) async throws -> StoredRelease? { fatalError("stub") }
    public func manifest(_ digest: SHA256Digest) async throws -> Data? { fatalError("stub") }
    public var signingKeys: [SigningKey] { fatalError("stub") }

    // MARK: - Devices

    /// Registers a device: 401 for an unknown key, 403 for a revoked key or another bundle id.
    public func register(_ request: RegistrationRequest) async throws -> RegistrationResponse { fatalError("stub") }
    /// The device of a token: 401 when unknown, 403 when its key was revoked.
    public func device(id: String, token: String) async throws -> Device { fatalError("stub") }
    /// Stores a batch once.
    public func store(_ batch: TelemetryBatch, from device: Device) async throws { fatalError("stub") }
    public func devices(appID: String, limit: Int, offset: Int) async throws -> [Device] { fatalError("stub") }
    public func deviceCount(appID: String) async throws -> Int { fatalError("stub") }
    public func progress(appID: String) async throws -> [(deviceID: String, progress: SegmentProgress)] {
        fatalError("stub")
    }
    public func statistics(appID: String, from start: Date, to end: Date, sliceCount: Int) async throws -> AppStatistics
    { fatalError("stub") }

    /// Ends the ingests under way.
    public func shutDown() async { fatalError("stub") }
}
