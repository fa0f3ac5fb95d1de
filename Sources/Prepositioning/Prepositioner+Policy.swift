import Conditions
import Dispatch
import HTTPModel
import Primitives
import Wire

/// What stands against downloads, and what follows when it changes.
extension Prepositioner {
    /// How long nobody looks whether the clock on the wall was set.
    private static let clockPause = Duration.seconds(900)

    /// Everything that stands against downloads now, by the rules of the app as a whole; empty when they may go on.
    public var policyBlockers: Set<PolicyBlocker> {
        let situation = situation
        return state.withLock { $0.blockers(in: situation) }
    }

    /// The same for a segment, whose rules may be others.
    public func policyBlockers(ofSegment segment: String) -> Set<PolicyBlocker> {
        let situation = situation
        return state.withLock { $0.blockers(of: segment, in: situation) }
    }

    /// What downloads ahead of need have moved since local midnight.
    public var dataUsage: DataUsage { usage.usage }

    /// Takes up what the app wants otherwise than the release, at once.
    public func setOverrides(_ overrides: PolicyOverrides) {
        guard state.withLock({ $0.plan.overrides != overrides }) else { return }
        work.sync { step(.overridden(overrides)) }
        reviewPolicy()
    }

    /// Notes that the quality of the network is another one than before.
    public func noteQualityChange() { reviewPolicy() }

    /// The circumstances now, but for what the state knows.
    var situation: PolicySituation {
        PolicySituation(
            conditions: configuration.conditions.conditions, quality: configuration.quality(), usage: usage.usage,
            minute: LocalTime(timekeeper.now, in: configuration.timeZone()).minute,
            isServerLocal: isServerLocal)
    }

    /// Whether the bytes of a segment may move now. Asked at every chunk.
    func mayDownload(_ segment: String) -> Bool {
        let situation = situation
        return state.withLock { $0.mayDownload(segment, in: situation) }
    }

    /// Interrupts transfers that something stands against now, and lets go on what nothing stands against any more.
    /// - Returns: whether anything may go on.
    @discardableResult
    func reviewPolicy() -> Bool {
        let situation = situation
        let (stopped, found, isTold) = state.withLock { state in
            let stopped = state.transfers.filter { !state.mayDownload($0.key.segment, in: situation) }.map(\.value)
            let blockers = state.blockers(in: situation)
            defer { state.blockersTold = blockers }
            return (stopped, state.findHeldBack(in: situation), state.blockersTold == blockers)
        }
        for transfer in stopped { transfer.cancel() }
        if found.isFreed { nudge.raise() }
        if found.isOther { schedule.raise() }
        if !isTold { publish() }
        return found.isFreed
    }

    /// A sync begins: it takes everything up that may be downloaded now.
    func noteHeldBack() {
        let situation = situation
        if state.withLock({ $0.findHeldBack(in: situation).isOther }) { schedule.raise() }
    }

    /// Follows the device's conditions for as long as the pre-positioner lives.
    func watchConditions() -> Task<Void, Never> {
        let changes = configuration.conditions.changes()
        return Task { [weak self] in
            for await conditions in changes { self?.noteNetwork(conditions.network) }
        }
    }

    private func noteNetwork(_ network: DeviceConditions.Network) {
        let hasCome = state.withLock { state in
            let before = state.network
            state.network = network
            guard (before.kind, before.id) != (network.kind, network.id) else { return false }
            state.reachability.noteNetworkChanged()
            return before.kind == .none
        }
        if !reviewPolicy(), hasCome { nudge.raise() }
    }

    /// Looks again whenever the time may have changed what stands against downloads, until the task is cancelled.
    func watchTime() async {
        while !Task.isCancelled {
            let generation = schedule.generation
            let situation = situation
            let time = LocalTime(timekeeper.now, in: configuration.timeZone())
            let change = state.withLock { $0.nextChange(in: situation, at: time) }
            if let change {
                await schedule.wait(beyond: generation, atMost: min(change, Self.clockPause), timekeeper)
            } else {
                await schedule.wait(beyond: generation)
            }
            reviewPolicy()
        }
    }
}

extension Prepositioner.State {
    /// What stands against downloads of a segment, or by the rules of the app as a whole.
    func blockers(of segment: String? = nil, in situation: PolicySituation) -> Set<PolicyBlocker> {
        plan.rules.blockers(of: segment, in: completed(situation))
    }

    /// Whether an item of a segment may be downloaded in the sync that runs.
    func mayDownload(_ segment: String, in situation: PolicySituation) -> Bool {
        var situation = completed(situation)
        situation.isUnreachable = reachability.isGivenUp
        return plan.rules.blockers(of: segment, in: situation).isEmpty
    }

    /// Whether rules or circumstances stand against downloads of a segment; a sync cannot change them, and comes when they change.
    private func isHeldBack(_ segment: String, by rules: PolicyRules, in situation: PolicySituation) -> Bool {
        var situation = completed(situation)
        situation.isRegistered = true
        situation.isUnreachable = false
        return !rules.blockers(of: segment, in: situation).isEmpty
    }

    /// Whether nothing stands against asking what a segment consists of, for which the app need not have asked.
    mutating func mayFetchManifest(
        of segment: String, by policy: DownloadPolicy, in situation: PolicySituation
    ) -> Bool {
        var situation = situation
        situation.isAsked = true
        let rules = PolicyRules(policy: policy, overrides: plan.overrides)
        guard isHeldBack(segment, by: rules, in: situation) else { return true }
        heldBack.insert(segment)
        return false
    }

    /// The segments of which items may be downloaded now. Of the others it is remembered what stood against them, however short
    /// that may last.
    mutating func downloadable(in situation: PolicySituation) -> Set<String> {
        let allowed = plan.subscription.filter { mayDownload($0, in: situation) }
        let rules = plan.rules
        for segment in plan.subscription.subtracting(allowed) where isHeldBack(segment, by: rules, in: situation) {
            heldBack.insert(segment)
        }
        return allowed
    }

    /// Finds the segments that something stands against.
    /// - Returns: whether nothing stands any more against one that it stood against before, and whether they are others at all.
    mutating func findHeldBack(in situation: PolicySituation) -> (isFreed: Bool, isOther: Bool) {
        let before = heldBack.intersection(plan.subscription)
        let rules = plan.rules
        heldBack = plan.subscription.filter { isHeldBack($0, by: rules, in: situation) }
        return (!before.isSubset(of: heldBack), before != heldBack)
    }

    /// How long until the time alone may let downloads go on.
    func nextChange(in situation: PolicySituation, at time: LocalTime) -> Duration? {
        heldBack.compactMap { plan.rules.nextChange(of: $0, in: completed(situation), at: time) }.min()
    }

    private func completed(_ situation: PolicySituation) -> PolicySituation {
        var situation = situation
        if case .registered = registration { situation.isRegistered = true } else { situation.isRegistered = false }
        situation.isUnreachable = reachability.isUnreachable
        situation.isAsked = situation.isAsked || sync?.isAsked == true
        return situation
    }
}

extension HTTPURL {
    /// Whether the host is this device.
    var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.") || host == "[::1]"
            || host == "::1"
    }
}
