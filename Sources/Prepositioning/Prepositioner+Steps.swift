import ContentStore
import Dispatch
import HTTPModel
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The shell around the plan: lock, step, unlock, act. Everything here runs on the work queue.
extension Prepositioner {
    /// Up to so many items the status is published at every step.
    private static let smallItemCountMax = 200

    var instant: PlanInstant { PlanInstant(now: timekeeper.now, uptime: timekeeper.uptime) }

    /// Tells the plan what happened, does what it asks for, and publishes the new status.
    func step(_ event: PlanEvent) { step([event]) }

    /// The same for events that have come together.
    func step(_ events: [PlanEvent]) {
        let instant = instant
        let actions = state.withLock { state in events.flatMap { state.plan.handle($0, at: instant) } }
        perform(actions)
        publishStep()
    }

    /// Does what the plan asks for; the journal's lines on items go first, in one transaction.
    func perform(_ actions: [PlanAction]) {
        var items: [Journal.ItemLine] = []
        var others: [PlanAction] = []
        var activations: Set<PlanAction> = []
        for action in actions {
            switch action {
            case .saveItem(let key, let failure, let told):
                items.append(Journal.ItemLine(key: key, failure: failure, told: told))
            case .tell(let item):
                listener.onTelemetry(item)
            case .activate:
                if activations.insert(action).inserted { others.append(action) }
            default:
                others.append(action)
            }
        }
        if !items.isEmpty { attempt("items cannot be noted") { try journal.save(items) } }
        var change: ItemChange?
        for action in others {
            if case .change(let next) = action, next.kind == change?.kind {
                // What happens together is told together.
                change?.items += next.items
                continue
            }
            if let change { listener.onItemChange(change) }
            change = nil
            if case .change(let next) = action { change = next } else { perform(action) }
        }
        if let change { listener.onItemChange(change) }
    }

    private func perform(_ action: PlanAction) {
        switch action {
        case .activate(let segment, let version, let oldHolders):
            let holder = ItemKey.holder(segment, version)
            attempt("\(holder) cannot be switched to") {
                try store.activate(holder: holder, replacing: oldHolders)
                step(.activated(segment: segment, version: version))
            }
        case .release(let names, let keepsEntries):
            attempt("segments cannot be forgotten") { try journal.remove(names) }
            attempt("segments cannot be purged") {
                try store.release(holders: Set(names.map(\.holder)), keepsEntries: keepsEntries)
            }
        case .saveVersion(let name, let isActive):
            // A version that is not active yet was put into the journal with its manifest, before the plan heard of it.
            guard isActive else { return }
            attempt("\(name.holder) cannot be noted as active") { try journal.activate(name) }
        case .saveItem, .tell, .change:
            break
        }
    }

    /// Does something with the disk; a failure is reported and the plan goes on without.
    func attempt(_ failure: String, _ body: () throws -> Void) {
        do { try body() } catch { note(failure: "\(failure): \(error)") }
    }

    /// A sentence for the report of the sync and for the status.
    func note(failure: String) {
        state.withLock { state in
            state.lastFailure = failure
            if state.report.failures.count < SyncReport.failureCountMax { state.report.failures.append(failure) }
        }
    }

    /// Takes up what the journal and the store have, before any network.
    func resume() {
        let instant = instant
        let actions = state.withLock { $0.plan.resume(at: instant) }
        perform(actions)
        let holders = state.withLock { $0.plan.holders }
        attempt("the store cannot be reconciled") {
            let strange = try store.holders().subtracting(holders)
            if !strange.isEmpty {
                try store.release(holders: strange, keepsEntries: configuration.overrides.keepsDroppedContent)
            }
        }
        sweepPartials()
    }

    /// Removes what came of items that nobody wants any more.
    func sweepPartials() {
        let wanted = state.withLock { $0.plan.wantedDigests }
        attempt("partial downloads cannot be swept") { try surroundings.partials.sweep(keeping: wanted) }
    }

    func noteRemoval(_ url: String, _ holders: Set<String>) {
        for holder in holders where state.withLock({ $0.plan.holders.contains(holder) }) {
            // The news may be old: the entry may have come back meanwhile.
            attempt("an entry cannot be looked up") {
                guard let address = HTTPURL(url),
                    try !store.entries(for: address).contains(where: { $0.holders.contains(holder) }),
                    try !store.entries(heldBy: holder).contains(where: { $0.url == address })
                else { return }
                step(.evicted(url: url, holder: holder))
            }
        }
    }

    /// Tells the listeners where everything stands.
    func publish() {
        let situation = situation
        let (listeners, status) = state.withLock { state -> ([AsyncStream<Status>.Continuation], Status?) in
            state.listeners.isEmpty ? ([], nil) : (Array(state.listeners.values), state.status(in: situation))
        }
        guard let status else { return }
        for listener in listeners { listener.yield(status) }
    }

    /// The same after a step. A walk over very many items at each of them would cost more than the items: then it happens ten
    /// times a second at most, and at the end of the sync.
    private func publishStep() {
        let isLarge = state.withLock { $0.isSyncing && $0.plan.itemCount > Self.smallItemCountMax }
        if isLarge { publishProgress() } else { publish() }
    }

    /// The same for bytes that arrive: ten times a second at most.
    func publishProgress() {
        let uptime = timekeeper.uptime
        let isDue = state.withLock { state in
            if let last = state.progressPublished, uptime - last < .milliseconds(100) { return false }
            state.progressPublished = uptime
            return true
        }
        if isDue { publish() }
    }

    /// Runs a closure on the work queue.
    func onWork<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            work.async { continuation.resume(returning: body()) }
        }
    }
}

extension Prepositioner.SyncReport {
    /// Sentences kept of one sync; what is beyond is told by the counts and by each item's own failure.
    static let failureCountMax = 100
}

extension Prepositioner.State {
    /// A view of the whole.
    func status(in situation: PolicySituation) -> Prepositioner.Status {
        let items = plan.subscription.sorted().compactMap(plan.target).flatMap { version in
            version.order.compactMap(version.status)
        }
        return Prepositioner.Status(
            registration: registration, subscribedSegments: plan.subscription, releaseVersion: plan.release?.version,
            items: items, activeVersions: plan.active.mapValues(\.version), isSyncing: isSyncing,
            isEnabled: plan.release != nil && plan.policy.isEnabled, lastFailure: lastFailure,
            blockers: blockers(in: situation))
    }
}
