import Conditions
import ContentStore
import HTTPModel
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One sync from registration to the last item.
extension Prepositioner {
    func performSync() async -> SyncReport {
        await onWork {
            self.state.withLock { state in
                state.isSyncing = true
                state.reachability.noteSyncBegan()
            }
            self.noteHeldBack()
            self.step(.syncBegan)
        }
        do {
            if isOffline {
                note(failure: "the device has no network")
                answered.raise()
            } else if try await registerIfNeeded() {
                try await bringItems()
            }
        } catch {
            // Only cancellation is thrown: every failure has been noted where it happened.
            await onWork { self.note(failure: "the sync was cancelled") }
        }
        return await onWork {
            self.usage.synchronize()
            let report = self.state.withLock { state in
                state.isSyncing = false
                state.sync = nil
                state.report.releaseVersion = state.plan.release?.version
                state.report.itemsFailed = state.plan.failedCount
                if state.report.failures.isEmpty { state.lastFailure = nil }
                return state.report
            }
            // What something stood against on the way may be free by now.
            self.reviewPolicy()
            self.schedule.raise()
            self.publish()
            return report
        }
    }

    /// Whether there is no network to ask the server over.
    private var isOffline: Bool { configuration.conditions.conditions.network.kind == .none && !isServerLocal }

    // MARK: - Documents

    /// Brings release and manifests up to date and looks for what the store has already.
    /// - Returns: whether to go on with downloads.
    func refresh() async throws -> Bool {
        guard let device = state.withLock({ $0.account.registration }) else { return false }
        let appID = device.appID
        let trust = Trust(
            keys: configuration.signingKeys.isEmpty
                ? state.withLock { $0.account.signingKeys } : configuration.signingKeys)
        guard let release = try await currentRelease(appID: appID, trust: trust) else { return false }
        surroundings.limiter.setLimit(release.policy.bytesPerSecondMax)
        var versions: [SegmentVersion] = []
        for segment in release.segments where isFetchable(segment.name, by: release.policy) {
            try Task.checkCancellation()
            if let version = try await version(of: segment, appID: appID, trust: trust) { versions.append(version) }
        }
        let found = versions
        await onWork {
            self.step(.released(release, found))
            self.reuseWhatIsThere()
        }
        return true
    }

    /// Whether the items of a segment are wanted, and nothing stands against asking what they are.
    private func isFetchable(_ segment: String, by policy: DownloadPolicy) -> Bool {
        let situation = situation
        return state.withLock { state in
            state.plan.subscription.contains(segment)
                && state.mayFetchManifest(of: segment, by: policy, in: situation)
        }
    }

    /// The release in force; the one before when no new one can be had or believed.
    private func currentRelease(appID: String, trust: Trust) async throws -> Release? {
        let (tag, known, seen) = state.withLock { state in
            (state.account.releaseTag, state.plan.release, state.account.releaseVersionSeen)
        }
        let answer = try await server.release(appID: appID, tag: known == nil ? nil : tag)
        switch answer {
        case .notModified, .nothingPublished:
            return known
        case .withdrawn(let reason):
            await onWork { self.withdraw(reason) }
            return nil
        case .failed(let reason):
            await onWork { self.note(failure: reason) }
            return known
        case .document(let document, let tag):
            do throws(DownloadFailure) {
                let (release, payload) = try trust.release(document, app: appID, versionSeen: seen)
                await onWork { self.keep(release, payload: payload, tag: tag) }
                return release
            } catch {
                await onWork { self.note(failure: error.reason) }
                return known
            }
        }
    }

    private func keep(_ release: Release, payload: Data, tag: String?) {
        let account = state.withLock { state -> Account? in
            guard !state.isUnregistered else { return nil }
            state.account.release = payload
            state.account.releaseTag = tag
            state.account.releaseVersionSeen = max(state.account.releaseVersionSeen, release.version)
            return state.account
        }
        guard let account else { return }
        attempt("the release cannot be kept") { try journal.save(account) }
        listener.onRelease(release)
    }

    /// The version of a segment that a release lists, with its manifest in the journal.
    private func version(of segment: Release.Segment, appID: String, trust: Trust) async throws -> SegmentVersion? {
        let name = SegmentVersionName(segment: segment.name, version: segment.version)
        do {
            if let known = state.withLock({ $0.plan.version(name) }) {
                guard known.manifest == segment.manifest else {
                    throw DownloadFailure("the manifest changed without a new version", isTransient: false)
                }
                return known
            }
            let document = try await server.manifest(segment.manifest)
            let (manifest, payload) = try trust.manifest(document, of: segment, app: appID)
            return await onWork {
                guard !self.state.withLock({ $0.isUnregistered }) else { return nil }
                self.attempt("the manifest of \(segment.holder) cannot be kept") {
                    try self.journal.saveVersion(name, digest: segment.manifest, manifest: payload)
                }
                return SegmentVersion(manifest, digest: segment.manifest, isActive: false)
            }
        } catch let failure as DownloadFailure {
            await onWork { self.note(failure: "\(segment.holder): \(failure.reason)") }
            return nil
        }
    }

    // MARK: - Reuse

    /// Holds what the store has of the missing items, then lets go of versions that were overtaken on their way, and switches to
    /// the versions that are whole. Runs on the work queue.
    private func reuseWhatIsThere() {
        reuse(state.withLock { $0.plan.missing })
        perform(state.withLock { $0.plan.dropSuperseded() })
        perform(state.withLock { $0.plan.activations() })
        sweepPartials()
    }

    /// Whether the store has, perhaps, what an item wants. Cheap, and may be asked from anywhere.
    func mayBeReusable(_ key: ItemKey) -> Bool {
        guard let item = state.withLock({ $0.plan.item(key)?.item }) else { return false }
        do { return try reusable(key, item) != nil } catch { return false }
    }

    /// Holds the items that the store has with the same URL and digest, together. Runs on the work queue.
    /// - Returns: how many.
    @discardableResult
    func reuse(_ keys: [ItemKey]) -> Int {
        var found: [(key: ItemKey, entry: StoreEntry)] = []
        for key in keys {
            guard let item = state.withLock({ $0.plan.item(key)?.item }) else { continue }
            attempt("\(key.url.bareURL) cannot be looked up in the store") {
                if let entry = try reusable(key, item) { found.append((key, entry)) }
            }
        }
        guard !found.isEmpty else { return 0 }
        // Another segment may still be on its way with some of them; these show them now.
        let shown = state.withLock { state in
            Set(found.filter { $0.entry.isStaged && !state.plan.isStaged($0.key) }.map(\.key.holder))
        }
        do {
            try store.hold(found.map { (entryID: $0.entry.id, holder: $0.key.holder) })
            for holder in shown { try store.activate(holder: holder, replacing: []) }
        } catch {
            // One that is gone or has no room must not keep the others away.
            if found.count > 1 { return found.reduce(0) { $0 + reuse([$1.key]) } }
            note(failure: "\(found[0].key.url.bareURL) cannot be held: \(error)")
            return 0
        }
        state.withLock { $0.report.itemsReused += found.count }
        step(
            found.map { one in
                let isVisible = !one.entry.isStaged || shown.contains(one.key.holder)
                return .reused(one.key, entryID: one.entry.id, isVisible: isVisible)
            })
        return found.count
    }

    /// The store's entry with an item's URL and digest; `nil` when there is none.
    private func reusable(_ key: ItemKey, _ item: Manifest.Item) throws -> StoreEntry? {
        if let twin = state.withLock({ $0.plan.twin(of: key) }), let entry = try store.entry(id: twin),
            entry.bodyDigest == item.sha256
        {
            return entry
        }
        guard let url = key.url.httpURL else { return nil }
        return try store.entries(for: url).first { $0.bodyDigest == item.sha256 && $0.response.status == 200 }
    }
}

extension PrepositioningPlan {
    /// Items of subscribed segments that did not come.
    var failedCount: Int { subscription.compactMap(target).reduce(0) { $0 + $1.count(.failed) } }
}
