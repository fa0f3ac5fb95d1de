import Conditions
public import ContentStore
import Dispatch
import HTTPModel
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    public import Foundation
#endif

/// Puts the items of subscribed segments on the device ahead of need.
///
/// A ``PrepositioningPlan`` decides; this type carries out. One serial queue owns journal, store and plan, so that a commit and
/// the switch to a new version never cross; transfers run beside it as tasks.
public final class Prepositioner: Sendable {
    struct State {
        var plan: PrepositioningPlan
        var places = DownloadPlaces()
        var account: Account
        var registration: RegistrationState
        var isSyncing = false
        var isUnregistered = false
        var lastFailure: String?
        /// What the sync that runs has come to.
        var report = SyncReport()
        var sync: RunningSync?
        var syncCount = 0
        /// Items downloaded since the start.
        var downloadCount = 0
        var listeners: [Int: AsyncStream<Status>.Continuation] = [:]
        var nextListener = 0
        /// The uptime at which progress was published last.
        var progressPublished: Duration?
        var reachability = Reachability()
        /// The network when somebody looked last.
        var network: DeviceConditions.Network
        /// What stood against downloads when it was published last.
        var blockersTold: Set<PolicyBlocker> = []
        /// The segments that something stood against when somebody looked last.
        var heldBack: Set<String> = []
        /// The transfers that run.
        var transfers: [ItemKey: Task<ItemDownload.Arrival, any Error>] = [:]
    }

    let configuration: Configuration
    let store: ContentStore
    let timekeeper: any Timekeeping
    let journal: Journal
    let server: ServerClient
    let surroundings: ItemDownload.Surroundings
    let listener: Listener
    let usage: UsageMeter
    let isServerLocal: Bool
    /// Owns journal, store and plan: everything that changes them runs here, one after the other.
    let work = DispatchQueue(label: "larder.prepositioning")
    let state: Locked<State>
    /// Bodies that have come and wait to be committed together.
    let arrivals = Locked<[WaitingArrival]>([])
    /// Rises with every change that a sync shall take up: of the subscription, or of what stood against downloads.
    let nudge = Nudge()
    /// Rises when the time at which downloads may begin again has to be found anew.
    let schedule = Nudge()
    /// Rises whenever the question for the registration has been answered, or cannot be asked.
    let answered = Nudge()
    /// Rises when a download that nears its end makes room for another one.
    let room = Nudge()
    private let watchers = Locked<[Task<Void, Never>]>([])

    /// Opens the journal and takes up what was left unfinished; no network yet. Performs disk I/O.
    ///
    /// A journal that cannot be read is set aside and begun anew.
    /// - Throws: a description of why the journal cannot be used.
    public init(
        configuration: Configuration, store: ContentStore, transport: any HTTPTransport, activity: ActivityGate,
        timekeeper: any Timekeeping, listener: Listener = Listener()
    ) throws {
        self.configuration = configuration
        self.store = store
        self.timekeeper = timekeeper
        self.listener = listener
        isServerLocal = configuration.serverURL.isLoopback
        let conditions = configuration.conditions, timeZone = configuration.timeZone
        let partials: PartialDirectory
        do {
            try FileManager.default.createDirectory(
                atPath: configuration.directory, withIntermediateDirectories: true)
            journal = try Journal(directory: configuration.directory, apiKey: configuration.apiKey)
            partials = PartialDirectory(path: configuration.directory + "/partial", journal: journal)
            try partials.prepare()
            state = Locked(try Restoration(journal: journal, store: store, configuration: configuration).state())
        } catch {
            throw PrepositioningError("the journal in \(configuration.directory) cannot be used: \(error)")
        }
        usage = UsageMeter(path: configuration.directory + "/usage", conditions: conditions) {
            LocalTime(timekeeper.now, in: timeZone()).day
        }
        let usage = usage
        server = ServerClient(
            serverURL: configuration.serverURL, transport: transport, usage: usage,
            onReach: { [state] isReached in
                state.withLock { $0.reachability.noteServer(isReached: isReached) }
            },
            onWire: { [state] url, metrics in
                state.withLock { $0.places.note(url, httpVersion: metrics.httpVersion) }
            })
        surroundings = ItemDownload.Surroundings(
            store: store, partials: partials, transport: transport, activity: activity,
            limiter: RateLimiter(timekeeper: timekeeper), usage: usage, timekeeper: timekeeper)
        listener.onRelease(state.withLock { $0.plan.release })
        work.sync { resume() }
        watchers.withLock { $0 = [watchEvictions(), watchConditions()] }
    }

    deinit {
        for watcher in watchers.withLock({ $0 }) { watcher.cancel() }
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    /// Registers, syncs, and keeps syncing at the release's interval until the task is cancelled.
    ///
    /// Returns early when the server refuses the API key, withdrew the device, or after ``unregister()``. A failed registration
    /// is tried again every ten minutes, when the network comes back, and when the subscription changes.
    public func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.watchTime() }
            await keepSyncing()
            group.cancelAll()
        }
    }

    private func keepSyncing() async {
        while !Task.isCancelled {
            let generation = nudge.generation
            await sync(isAsked: false)
            let pause: Duration
            switch state.withLock({ ($0.registration, $0.isUnregistered) }) {
            case (.badCredentials, _), (.withdrawn, _), (_, true): return
            case (.notRegistered, _): pause = RetryPolicy.registrationInterval
            case (.registered, _):
                pause = .seconds(max(10, state.withLock { $0.plan.policy.syncIntervalSeconds }))
            }
            await nudge.wait(beyond: generation, atMost: pause, timekeeper)
        }
    }

    /// Replaces the set of subscribed segments (durably) and syncs soon; content that no subscribed segment holds is purged at
    /// once. Performs disk I/O. A sync that runs takes the new set up.
    public func subscribe(to segments: Set<String>) {
        work.sync {
            let account = state.withLock { state -> Account? in
                guard !state.isUnregistered else { return nil }
                state.account.subscription = segments
                return state.account
            }
            guard let account else { return }
            attempt("the subscription cannot be kept") { try journal.save(account) }
            step(.subscribed(segments))
        }
        nudge.raise()
    }

    /// Where everything stands. Costs a walk over the items of all subscribed segments.
    public var status: Status {
        let situation = situation
        return state.withLock { $0.status(in: situation) }
    }

    /// The API key it works with.
    public var apiKey: String { configuration.apiKey }

    /// How the device stands with the server.
    public var registration: RegistrationState { state.withLock { $0.registration } }

    /// The release in force; `nil` before there is one.
    public var release: Release? { state.withLock { $0.plan.release } }

    /// The status now and after every change; a slow listener sees the newest only. While bytes arrive, ten times a second at
    /// most. Ends after ``unregister()``.
    public func statuses() -> AsyncStream<Status> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let situation = situation
            let (id, status, isUnregistered) = state.withLock { state in
                state.nextListener += 1
                state.listeners[state.nextListener] = continuation
                return (state.nextListener, state.status(in: situation), state.isUnregistered)
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            }
            continuation.yield(status)
            if isUnregistered { continuation.finish() }
        }
    }

    /// Notes that a request was answered, for the ledger of outcomes. Cheap, and never blocks on the disk.
    public func noteExchange(_ record: ExchangeRecord) {
        guard state.withLock({ $0.plan.concerns(bareURL: record.url) }) else { return }
        work.async { self.step(.exchanged(record)) }
    }

    /// The store may lose pinned entries when it is cleared, shrunk or repaired.
    private func watchEvictions() -> Task<Void, Never> {
        let changes = store.changes()
        return Task { [weak self] in
            for await change in changes {
                guard case .removed(let url, let holders) = change, !holders.isEmpty else { continue }
                guard let self else { return }
                work.async { self.noteRemoval(url.string, holders) }
            }
        }
    }
}

/// Why a pre-positioner cannot be made.
public struct PrepositioningError: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
