public import ControlModel
public import Cryptography
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules of the server: apps, keys, segments, ingest, releases, devices, statistics, over a repository.
///
/// Refusals are thrown as ``ProblemDocument``, ready for the caller: what, where, what to do. What the repository throws
/// passes through as it is. Every method but ``signingKeys`` performs I/O. Dates are kept in whole seconds.
public final class ControlPlane: Sendable {
    /// The limits of the control plane.
    public struct Configuration: Sendable, Hashable {
        public var itemsPerSegmentMax = 10_000
        /// The largest body an ingest reads; an app's policy may set a lower one.
        public var itemByteCountMax: Int64 = 512 << 20
        /// Fetches at a time within one ingest.
        public var concurrentIngestFetches = 6
        /// Ingests at a time.
        public var concurrentIngestsMax = 8
        public var segmentsPerAppMax = 500
        public var sessionSeconds = 12 * 3_600
        /// Items in one telemetry batch.
        public var itemsPerBatchMax = 10_000
        /// What devices told is forgotten after so many days.
        public var telemetryRetentionDays = 90

        /// The defaults.
        public init() {}
    }

    let configuration: Configuration
    let repository: any Repository
    let transport: any HTTPTransport
    let timekeeper: any Timekeeping
    /// Unpredictable lower-case text of so many characters, for ids and secrets.
    let makeToken: @Sendable (_ characterCount: Int) -> String
    let identity: SigningIdentity
    let throttle = Locked(SignInThrottle())
    /// Password hashes are slow on purpose and take 32 MiB each: one at a time.
    let passwordWork = Offload(label: "larder.passwords")
    let passwordsWaiting = Locked(0)
    let ingests: IngestRegistry
    private let housekeeping: Task<Void, Never>

    /// Creates the control plane and its signing key if there is none.
    ///
    /// Ingests that a restart interrupted are marked as failed. From now on and until ``shutDown()``, expired sessions and
    /// telemetry past its retention are removed once an hour.
    /// - Parameter makeToken: where ids and secrets come from; tests may give predictable ones.
    public init(
        configuration: Configuration = Configuration(), repository: any Repository, transport: any HTTPTransport,
        timekeeper: any Timekeeping,
        makeToken: @escaping @Sendable (_ characterCount: Int) -> String = { Secrets.token(characterCount: $0) }
    ) async throws {
        self.configuration = configuration
        self.repository = repository
        self.transport = transport
        self.timekeeper = timekeeper
        self.makeToken = makeToken
        identity = try await SigningIdentity.load(from: repository)
        ingests = IngestRegistry(countMax: configuration.concurrentIngestsMax)
        for var job in try await repository.runningIngestJobs() {
            job.state = .failed
            job.endedAt = timekeeper.now.wholeSecond
            job.failure = "The server was stopped before the ingest had ended. Start it again."
            try await repository.save(job)
        }
        housekeeping = Housekeeping(
            repository: repository, timekeeper: timekeeper, retentionDays: configuration.telemetryRetentionDays
        ).start()
    }

    deinit { housekeeping.cancel() }

    /// The keys whose signatures devices shall trust.
    public var signingKeys: [SigningKey] { [identity.publicKey] }

    /// Ends the ingests under way and the housekeeping; returns once they have ended.
    public func shutDown() async {
        housekeeping.cancel()
        await ingests.shutDown()
        await housekeeping.value
    }

    /// The current date in whole seconds, which is what the wire carries.
    var now: Date { timekeeper.now.wholeSecond }
}

extension Date {
    /// The date without its fraction of a second.
    var wholeSecond: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}
