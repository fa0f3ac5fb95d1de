import Conditions
import ContentStore
import HTTPModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts together, at a start, what the journal says and what the store has.
struct Restoration {
    let journal: Journal
    let store: ContentStore
    let configuration: Prepositioner.Configuration

    func state() throws -> Prepositioner.State {
        let account = try account()
        var versions: [SegmentVersion] = []
        for kept in try journal.versions() {
            guard account.subscription.contains(kept.name.segment), let version = try version(kept) else {
                try journal.remove([kept.name])
                continue
            }
            // A newer version may have overtaken one that never became active.
            if let index = versions.firstIndex(where: {
                $0.segment == version.segment && $0.isActive == version.isActive
            }) {
                let overtaken = versions.remove(at: index)
                try journal.remove([SegmentVersionName(segment: overtaken.segment, version: overtaken.version)])
            }
            versions.append(version)
        }
        let release = account.release.flatMap { payload in
            // One that this program cannot read is asked for again.
            try? WireCoding.decode(Release.self, from: payload)
        }
        let plan = PrepositioningPlan(
            subscription: account.subscription, release: release, overrides: configuration.overrides,
            versions: versions)
        let registration = account.registration.map {
            Prepositioner.RegistrationState.registered(
                deviceID: $0.deviceID, deviceToken: $0.deviceToken, appID: $0.appID)
        }
        return Prepositioner.State(
            plan: plan, account: account, registration: registration ?? .notRegistered,
            network: configuration.conditions.conditions.network)
    }

    private func account() throws -> Account {
        if let account = try journal.account() { return account }
        let account = Account(subscription: configuration.initialSegments)
        try journal.save(account)
        return account
    }

    /// A version with the items that the store has of it; `nil` when its manifest cannot be read.
    private func version(_ kept: Journal.KeptVersion) throws -> SegmentVersion? {
        guard let manifest = try? WireCoding.decode(Manifest.self, from: kept.manifest),
            manifest.segment == kept.name.segment, manifest.version == kept.name.version
        else {
            // The content is purged as nobody's, and comes again with the manifest.
            return nil
        }
        var version = SegmentVersion(manifest, digest: kept.digest, isActive: kept.isActive)
        let entries = try store.entries(heldBy: version.holder)
        let known = Dictionary(entries.map { ($0.url.string, $0) }) { first, _ in first }
        for url in version.order {
            version.update(url) { item in
                item.told = kept.items[url]?.told ?? []
                item.failure = kept.items[url]?.failure
                if let entry = known[url.normalizedURL] {
                    item.state = .ready
                    item.bytesReceived = item.item.byteCount
                    item.entryID = entry.id
                    item.failure = nil
                    if kept.isActive || !entry.isStaged { item.changesTold = [.downloaded] }
                } else {
                    // What was told of an item that is gone is told again when it comes again.
                    item.told.subtract([.prepositioned, .used])
                }
            }
        }
        // After a power loss the store may be behind the journal.
        if version.isActive, entries.contains(where: \.isStaged) {
            try store.activate(holder: version.holder, replacing: [])
        }
        return version
    }
}
