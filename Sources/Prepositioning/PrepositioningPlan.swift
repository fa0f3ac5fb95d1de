import Cryptography
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What shall be on the device, what is, and what follows from what happens: a state machine without I/O.
///
/// A segment has an *active* version, which is served, and while a newer one is on its way a *pending* one. The pending version
/// becomes active when every essential item of it is on the device; only its items are downloaded meanwhile.
struct PrepositioningPlan: Sendable {
    var subscription: Set<String>
    private(set) var release: Release?
    /// What the app wants otherwise than the release.
    private(set) var overrides: PolicyOverrides
    private(set) var active: [String: SegmentVersion] = [:]
    private(set) var pending: [String: SegmentVersion] = [:]
    /// Pending versions that a newer one has overtaken: let go of once their items have been looked at for reuse.
    private(set) var superseded: [String: [SegmentVersion]] = [:]
    /// Items that were handed out by ``takeNext(at:fits:)``; some may have ended since.
    private var downloading: Set<ItemKey> = []
    /// The items by URL without query, as exchange records name them.
    private var keysByBareURL: [String: [ItemKey]] = [:]

    /// Tries of an item in one sync.
    static let attemptCountMax = 5

    /// Takes up what the journal kept.
    init(
        subscription: Set<String> = [], release: Release? = nil, overrides: PolicyOverrides = PolicyOverrides(),
        versions: [SegmentVersion] = []
    ) {
        self.subscription = subscription
        self.release = release
        self.overrides = overrides
        for version in versions {
            if version.isActive { active[version.segment] = version } else { pending[version.segment] = version }
        }
        _ = applySizeLimit()
        indexURLs()
    }

    var policy: DownloadPolicy { release?.policy ?? DownloadPolicy() }

    var rules: PolicyRules { PolicyRules(policy: policy, overrides: overrides) }

    /// The version of a segment that is being brought to the device, or is on it.
    func target(_ segment: String) -> SegmentVersion? { pending[segment] ?? active[segment] }

    func version(_ name: SegmentVersionName) -> SegmentVersion? {
        [pending[name.segment], active[name.segment]].compactMap { $0 }.first { $0.version == name.version }
    }

    func item(_ key: ItemKey) -> PlannedItem? {
        version(SegmentVersionName(segment: key.segment, version: key.version))?.items[key.url]
    }

    /// Whether the item is still to be brought to the device.
    func isWanted(_ key: ItemKey) -> Bool {
        guard let target = target(key.segment), target.version == key.version else { return false }
        return target.items[key.url].map { $0.state != .ready } ?? false
    }

    /// Whether the item belongs to a version that is not visible yet.
    func isStaged(_ key: ItemKey) -> Bool { pending[key.segment]?.version == key.version }

    /// Every holder that the store shall know.
    var holders: Set<String> { Set((Array(active.values) + Array(pending.values)).map(\.holder)) }

    /// Whether an exchange with this URL, without query, may concern the ledger.
    func concerns(bareURL: String) -> Bool { keysByBareURL[bareURL] != nil }

    // MARK: - Events

    mutating func handle(_ event: PlanEvent, at instant: PlanInstant) -> [PlanAction] {
        switch event {
        case .subscribed(let segments):
            subscription = segments
            return drop(where: { !segments.contains($0) }, at: instant)
        case .unregistered:
            subscription = []
            release = nil
            overrides.keepsDroppedContent = false
            return drop(where: { _ in true }, at: instant)
        case .overridden(let overrides):
            self.overrides = overrides
            return reconsiderSkipped()
        case .syncBegan:
            return beginSync(at: instant)
        case .released(let release, let versions):
            return adopt(release, versions, at: instant)
        case .reused(let key, let entryID, let isVisible):
            return settle(key, entryID: entryID, isVisible: isVisible, at: instant)
        case .stored(let key, let entryID):
            return settle(key, entryID: entryID, isVisible: !isStaged(key), at: instant)
        case .started(let key):
            return started(key)
        case .progressed(let key, let bytesReceived):
            update(key) { $0.bytesReceived = bytesReceived }
            return []
        case .failed(let key, let failure, let delay):
            return fail(key, failure, delay, at: instant)
        case .interrupted(let key):
            update(key) { if $0.state == .downloading { $0.state = .queued } }
            return []
        case .activated(let segment, let version):
            return activated(segment, version, at: instant)
        case .evicted(let url, let holder):
            return evicted(url, holder, at: instant)
        case .exchanged(let record):
            return exchanged(record)
        }
    }

    /// The next item to download, marked as downloading; `nil` when none is due or the one that is due does not fit.
    /// - Parameters:
    ///   - isRetrying: whether only items that have failed before are to be tried.
    ///   - mayDownload: whether nothing stands against downloads of a segment.
    ///   - fits: whether there is room for the item beside those that are being downloaded.
    mutating func takeNext(
        at uptime: Duration, isRetrying: Bool = false, mayDownload: (String) -> Bool = { _ in true },
        fits: (Manifest.Item) -> Bool = { _ in true }
    ) -> ItemKey? {
        downloading = downloading.filter { item($0)?.state == .downloading }
        let segments = targetSegments
        // The same bytes of the same URL are not downloaded twice at once.
        let moving = segments.count > 1 ? Set(downloading.compactMap { item($0)?.identity }) : []
        var best: (key: ItemKey, item: Manifest.Item)?
        for segment in segments where mayDownload(segment) {
            let isBarred = { (item: PlannedItem) in
                (isRetrying && item.failedAttempts == 0) || (!moving.isEmpty && moving.contains(item.identity))
            }
            // In place, as a copy of the version would cost a copy of all its items.
            let next =
                pending[segment] != nil
                ? pending[segment]?.nextQueued(at: uptime, except: isBarred)
                : active[segment]?.nextQueued(at: uptime, except: isBarred)
            guard let item = next?.item, let version = target(segment)?.version else { continue }
            if let best, (best.item.priority, best.item.byteCount) <= (item.priority, item.byteCount) { continue }
            best = (ItemKey(segment: segment, version: version, url: item.url), item)
        }
        guard let best, fits(best.item) else { return nil }
        update(best.key) { $0.state = .downloading }
        downloading.insert(best.key)
        return best.key
    }

    /// The uptime at which the first of the items that wait after a failure is due again.
    mutating func nextRetry(mayDownload: (String) -> Bool = { _ in true }) -> Duration? {
        targetSegments.filter(mayDownload).compactMap { segment in
            pending[segment] != nil ? pending[segment]?.nextRetryDue() : active[segment]?.nextRetryDue()
        }.min()
    }

    /// The items to look for in the store before anything is downloaded.
    var missing: [ItemKey] {
        targets.flatMap { target in
            target.order.filter { target.items[$0]?.state == .queued }.map(target.key)
        }
    }

    /// The digests of the bodies that are still to come.
    var wantedDigests: Set<String> {
        Set(targets.flatMap { $0.items.values }.filter { $0.state != .ready }.map(\.item.sha256.hex))
    }

    /// The entry of an item with the same URL and digest that another version has on the device.
    func twin(of key: ItemKey) -> Int64? {
        guard let item = item(key)?.item else { return nil }
        let others = Array(active.values) + Array(pending.values) + superseded.values.flatMap { $0 }
        for version in others where version.holder != key.holder {
            if let other = version.items[key.url], other.item.sha256 == item.sha256, let id = other.entryID {
                return id
            }
        }
        return nil
    }

    /// What is to be done after a start, before any network: what was told before the process died is not told again.
    mutating func resume(at instant: PlanInstant) -> [PlanAction] {
        var actions: [PlanAction] = []
        for version in Array(active.values) + Array(pending.values) {
            for (url, planned) in version.items.sorted(by: { $0.key < $1.key }) where planned.state == .ready {
                actions += tellOnce(.prepositioned, .prepositioned, of: version.key(url), at: instant)
            }
        }
        return actions + activations()
    }

    // MARK: - Steps

    /// Items of all subscribed segments.
    var itemCount: Int { targetSegments.reduce(0) { $0 + (target($1)?.order.count ?? 0) } }

    private var targets: [SegmentVersion] { subscription.sorted().compactMap(target) }

    private var targetSegments: [String] { subscription.sorted().filter { target($0) != nil } }

    mutating func update(_ key: ItemKey, _ change: (inout PlannedItem) -> Void) {
        if pending[key.segment]?.version == key.version {
            pending[key.segment]?.update(key.url, change)
        } else if active[key.segment]?.version == key.version {
            active[key.segment]?.update(key.url, change)
        }
    }

    private mutating func beginSync(at instant: PlanInstant) -> [PlanAction] {
        for target in targets {
            for (url, planned) in target.items where planned.state == .failed || planned.notBefore != nil {
                update(target.key(url)) { $0.requeue() }
            }
        }
        return applySizeLimit() + activations()
    }

    private mutating func adopt(
        _ release: Release, _ versions: [SegmentVersion], at instant: PlanInstant
    ) -> [PlanAction] {
        self.release = release
        let listed = Set(release.segments.map(\.name))
        var actions = drop(where: { !listed.contains($0) }, at: instant)
        var discovered: [ItemKey] = []
        for version in versions where subscription.contains(version.segment) {
            let found = discoveries(in: version)
            let adoption = adopt(version)
            if pending[version.segment]?.version == version.version { discovered += found }
            actions += adoption
        }
        actions += change(.discovered, discovered)
        actions += applySizeLimit()
        indexURLs()
        return actions
    }

    private mutating func adopt(_ version: SegmentVersion) -> [PlanAction] {
        let name = SegmentVersionName(segment: version.segment, version: version.version)
        guard pending[name.segment]?.version != name.version else { return [] }
        if active[name.segment]?.version == name.version {
            // The release went back to what is active.
            guard let abandoned = pending.removeValue(forKey: name.segment) else { return [] }
            let name = SegmentVersionName(segment: abandoned.segment, version: abandoned.version)
            return [.release([name])] + evictions([abandoned])
        }
        var version = version
        var actions: [PlanAction] = [.saveVersion(name, isActive: false)]
        for (url, planned) in version.items {
            // An item that did not change keeps its history: it is counted once.
            guard let old = active[name.segment]?.items[url], old.item.sha256 == planned.item.sha256 else { continue }
            version.update(url) { item in
                item.told = old.told.subtracting(.failed)
                if old.state == .ready { item.changesTold = old.changesTold.intersection([.downloaded]) }
            }
            if !old.told.isEmpty { actions.append(.saveItem(version.key(url), failure: nil, told: old.told)) }
        }
        let abandoned = pending.updateValue(version, forKey: name.segment)
        if let abandoned { superseded[name.segment, default: []].append(abandoned) }
        return actions
    }

    /// Lets go of the versions overtaken by newer ones, whose entries have been looked at for reuse.
    mutating func dropSuperseded() -> [PlanAction] {
        let dropped = superseded.values.flatMap { $0 }
        superseded = [:]
        guard !dropped.isEmpty else { return [] }
        return [.release(dropped.map { SegmentVersionName(segment: $0.segment, version: $0.version) })]
            + evictions(dropped)
    }

    /// Versions whose entries are whole but not visible: asked for again at every occasion.
    func activations() -> [PlanAction] {
        pending.values.filter(\.isWhole).sorted { $0.segment < $1.segment }.map { version in
            .activate(
                segment: version.segment, version: version.version,
                replacing: Set([active[version.segment]?.holder].compactMap { $0 }))
        }
    }

    private mutating func settle(
        _ key: ItemKey, entryID: Int64, isVisible: Bool, at instant: PlanInstant
    ) -> [PlanAction] {
        guard let planned = item(key) else { return [] }
        update(key) { item in
            item.state = .ready
            item.bytesReceived = planned.item.byteCount
            item.entryID = entryID
            item.failure = nil
            item.notBefore = nil
        }
        var actions = tellOnce(.prepositioned, .prepositioned, of: key, at: instant)
        if actions.isEmpty { actions.append(.saveItem(key, failure: nil, told: planned.told)) }
        // What is staged is told of when it becomes visible.
        if isVisible { actions += tellArrivals([key]) }
        actions += tellProgress(key.segment, at: instant)
        if let version = pending[key.segment], version.version == key.version, version.isWhole {
            actions += activations().filter {
                if case .activate(key.segment, _, _) = $0 { true } else { false }
            }
        }
        return actions
    }

    private mutating func fail(
        _ key: ItemKey, _ failure: DownloadFailure, _ delay: Duration?, at instant: PlanInstant
    ) -> [PlanAction] {
        guard let planned = item(key), planned.state != .ready else { return [] }
        let attempts = planned.failedAttempts + 1
        if let delay, failure.isTransient, attempts < Self.attemptCountMax {
            update(key) { item in
                item.state = .queued
                item.failedAttempts = attempts
                item.notBefore = instant.uptime + delay
                item.failure = failure.reason
            }
            return []
        }
        update(key) { item in
            item.state = .failed
            item.failedAttempts = attempts
            item.notBefore = nil
            item.failure = failure.reason
        }
        let told = tellOnce(.failed, .failed, of: key, at: instant)
        let saved = told.isEmpty ? [PlanAction.saveItem(key, failure: failure.reason, told: planned.told)] : told
        return saved + tellFailures([key]) + tellProgress(key.segment, at: instant)
    }

    private mutating func activated(_ segment: String, _ version: Int, at instant: PlanInstant) -> [PlanAction] {
        guard var fresh = pending[segment], fresh.version == version else { return [] }
        pending[segment] = nil
        fresh.isActive = true
        let old = active.updateValue(fresh, forKey: segment)
        indexURLs()
        var actions: [PlanAction] = [
            .saveVersion(SegmentVersionName(segment: segment, version: version), isActive: true)
        ]
        if let old {
            actions += partings(of: old, for: fresh, at: instant)
            actions.append(.release([SegmentVersionName(segment: segment, version: old.version)]))
        }
        actions += tellArrivals(ready(in: fresh))
        if let old { actions += evictions([old]) }
        return actions + tellProgress(segment, at: instant)
    }

    private mutating func evicted(_ url: String, _ holder: String, at instant: PlanInstant) -> [PlanAction] {
        for version in Array(active.values) + Array(pending.values) where version.holder == holder {
            let key = keys(bareURL: url.bareURL).first { key in
                key.segment == version.segment && key.version == version.version && key.url.normalizedURL == url
                    && version.items[key.url]?.state == .ready
            }
            guard let key, let planned = version.items[key.url] else { continue }
            let wasTold = planned.changesTold.contains(.downloaded)
            update(key) { item in
                item.requeue()
                item.told = []
                item.changesTold = []
                item.failure = "the store dropped it"
            }
            return [
                .saveItem(key, failure: nil, told: []), outcome(.evicted, key, planned.item, at: instant.now),
            ] + (wasTold ? eviction(of: key) : [])
        }
        return []
    }

    /// Removes segments from the plan.
    private mutating func drop(where isDropped: (String) -> Bool, at instant: PlanInstant) -> [PlanAction] {
        var actions: [PlanAction] = []
        var dropped: [SegmentVersion] = []
        for segment in Set(active.keys).union(pending.keys).sorted() where isDropped(segment) {
            for version in [active.removeValue(forKey: segment), pending.removeValue(forKey: segment)] {
                guard let version else { continue }
                dropped.append(version)
                actions += partings(of: version, for: nil, at: instant)
            }
        }
        guard !dropped.isEmpty else { return [] }
        indexURLs()
        let names = dropped.map { SegmentVersionName(segment: $0.segment, version: $0.version) }
        actions.append(.release(names, keepsEntries: overrides.keepsDroppedContent))
        return overrides.keepsDroppedContent ? actions : actions + evictions(dropped)
    }

    /// The policy may keep large items from the device.
    private mutating func applySizeLimit() -> [PlanAction] {
        var skipped: [ItemKey] = []
        for target in targets {
            let limit = rules.fileByteCountMax(of: target.segment)
            for (url, planned) in target.items
            where planned.state != .ready && planned.state != .downloading && planned.item.byteCount > limit {
                update(target.key(url)) { item in
                    item.state = .failed
                    item.isSkipped = true
                    item.failure = "its \(planned.item.byteCount) bytes are more than the policy's limit of \(limit)"
                }
                skipped.append(target.key(url))
            }
        }
        return tellFailures(skipped)
    }

    /// What a limit kept from the device may come under another one.
    private mutating func reconsiderSkipped() -> [PlanAction] {
        for target in targets {
            for (url, planned) in target.items where planned.isSkipped {
                update(target.key(url)) { $0.requeue() }
            }
        }
        return applySizeLimit() + activations()
    }

    private mutating func indexURLs() {
        keysByBareURL = [:]
        for version in Array(active.values) + Array(pending.values) {
            for url in version.order { keysByBareURL[url.normalizedURL.bareURL, default: []].append(version.key(url)) }
        }
    }

    func keys(bareURL: String) -> [ItemKey] { keysByBareURL[bareURL] ?? [] }

    /// Remembers what the server was told of a segment.
    mutating func setToldProgress(_ progress: SegmentVersion.ToldProgress, of segment: String) {
        if pending[segment] != nil {
            pending[segment]?.toldProgress = progress
        } else {
            active[segment]?.toldProgress = progress
        }
    }
}

extension PlannedItem {
    /// What makes two items of different segments the same bytes of the same URL.
    fileprivate var identity: String { item.sha256.hex + item.url }
}
