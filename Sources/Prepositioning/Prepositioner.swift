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
        var sync: Task<SyncReport, Never>?
        var listeners: [Int: AsyncStream<Status>.Continuation] = [:]
        var nextListener = 0
        /// The uptime at which progress was published last.
        var progressPublished: Duration?
    }

    let configuration: Configuration
    let store: ContentStore
    let timekeeper: any Timekeeping
    let journal: Journal
    let server: ServerClient
    let surroundings: ItemDownload.Surroundings
    let onTelemetry: @Sendable (TelemetryItem) -> Void
    /// Owns journal, store and plan: everything that changes them runs here, one after the other.
    let work = DispatchQueue(label: "larder.prepositioning")
    let state: Locked<State>
    /// Bodies that have come and wait to be committed together.
    let arrivals = Locked<[WaitingArrival]>([])
    /// Rises with every change of the subscription.
    let nudge = Nudge()
    /// Rises when a download that nears its end makes room for another one.
    let room = Nudge()
    private let evictions = Locked<Task<Void, Never>?>(nil)

    /// Opens the journal and takes up what was left unfinished; no network yet. Performs disk I/O.
    ///
    /// A journal that cannot be read is set aside and begun anew.
    /// - Parameter onTelemetry: called in order, from a thread of the pre-positioner's own; must neither block nor call back.
    /// - Throws: a description of why the journal cannot be used.
    public init(
        configuration: Configuration, store: ContentStore, transport: any HTTPTransport, activity: ActivityGate,
        timekeeper: any Timekeeping, onTelemetry: @escaping @Sendable (TelemetryItem) -> Void = { _ in }
    ) throws {
        self.configuration = configuration
        self.store = store
        self.timekeeper = timekeeper
        self.onTelemetry = onTelemetry
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
        server = ServerClient(serverURL: configuration.serverURL, transport: transport) { [state] url, metrics in
            state.withLock { $0.places.note(url, httpVersion: metrics.httpVersion) }
        }
        surroundings = ItemDownload.Surroundings(
            store: store, partials: partials, transport: transport, activity: activity,
            limiter: RateLimiter(timekeeper: timekeeper), timekeeper: timekeeper)
        work.sync { resume() }
        watchEvictions()
    }

    deinit {
        evictions.withLock { $0 }?.cancel()
        for listener in state.withLock({ $0.listeners.values }) { listener.finish() }
    }

    /// Registers, syncs, and keeps syncing at the release's interval until the task is cancelled.
    ///
    /// Returns early when the server refuses the API key, withdrew the device, or after ``unregister()``. A failed registration
    /// is tried again every ten minutes, or when the subscription changes.
    public func run() async {
        while !Task.isCancelled {
            let generation = nudge.generation
            await sync()
            let pause: Duration
            switch state.withLock({ ($0.registration, $0.isUnregistered) }) {
            case (.badCredentials, _), (.withdrawn, _), (_, true): return
            case (.notRegistered, _): pause = RetryPolicy.registrationInterval
            case (.registered, _):
                pause = .seconds(max(10, state.withLock { $0.plan.policy.syncIntervalSeconds }))
            }
            await wait(pause, beyond: generation)
        }
    }

    private func wait(_ pause: Duration, beyond generation: Int) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.nudge.wait(beyond: generation) }
            group.addTask {
                // Cancelled when the nudge comes first.
                try? await self.timekeeper.sleep(for: pause)
            }
            await group.next()
            group.cancelAll()
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

    /// One sync now: registration if needed, release pointer, manifests, downloads, switch. Joins one that is running.
    ///
    /// Cancelling the call that began the sync ends it; what has come stays.
    @discardableResult
    public func sync() async -> SyncReport {
        let (task, isOwn) = state.withLock { state -> (Task<SyncReport, Never>, Bool) in
            if let running = state.sync { return (running, false) }
            state.report = SyncReport()
            let task = Task { await self.performSync() }
            state.sync = task
            return (task, true)
        }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            if isOwn { task.cancel() }
        }
    }

    /// Where everything stands. Costs a walk over the items of all subscribed segments.
    public var status: Status { state.withLock { $0.status } }

    /// The status now and after every change; a slow listener sees the newest only. While bytes arrive, ten times a second at
    /// most.
    public func statuses() -> AsyncStream<Status> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let (id, status) = state.withLock { state in
                state.nextListener += 1
                state.listeners[state.nextListener] = continuation
                return (state.nextListener, state.status)
            }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            }
            continuation.yield(status)
        }
    }

    /// Notes that a request was answered, for the ledger of outcomes. Cheap, and never blocks on the disk.
    public func noteExchange(_ record: ExchangeRecord) {
        guard state.withLock({ $0.plan.concerns(bareURL: record.url) }) else { return }
        work.async { self.step(.exchanged(record)) }
    }

    /// Notes that the server refused the device's token elsewhere, as it does when a device is withdrawn.
    public func noteRefusal(_ reason: String) {
        work.sync { withdraw(reason) }
    }

    /// Forgets registration, subscription and journal, and releases what segments hold. Performs disk I/O.
    ///
    /// The pre-positioner is inert afterwards; a new one with the same API key begins as on a new device.
    public func unregister() {
        state.withLock { $0.sync }?.cancel()
        work.sync {
            step(.unregistered)
            attempt("the journal cannot be emptied") {
                try journal.forget()
                try surroundings.partials.sweep(keeping: [])
            }
            state.withLock { state in
                state.account = Account()
                state.registration = .notRegistered
                state.isUnregistered = true
            }
            publish()
        }
        nudge.raise()
    }

    /// The store may lose pinned entries when it is cleared, shrunk or repaired.
    private func watchEvictions() {
        let changes = store.changes()
        let task = Task { [weak self] in
            for await change in changes {
                guard case .removed(let url, let holders) = change, !holders.isEmpty else { continue }
                guard let self else { return }
                work.async { self.noteRemoval(url.string, holders) }
            }
        }
        evictions.withLock { $0 = task }
    }
}

/// Why a pre-positioner cannot be made.
public struct PrepositioningError: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
