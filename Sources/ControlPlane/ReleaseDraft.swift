import ControlModel
import Cryptography
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the next release of an app would hold, compared with what devices have now. Pure.
///
/// A segment's version only ever rises, also over removal and roll-back: devices name what they hold by it.
struct ReleaseDraft {
    /// One segment of the draft.
    struct Part {
        var name: String
        /// What the manifest lists, by priority, then URL.
        var items: [Manifest.Item]
        /// What devices have now; `nil` when the segment is new to them.
        var current: Release.Segment?
        var currentItems: [Manifest.Item]
        /// Used when the items have changed.
        var nextVersion: Int
        var failedCount = 0

        var isChanged: Bool { current == nil || items != currentItems }
        var byteCount: Int64 { items.reduce(0) { $0 + $1.byteCount } }
    }

    var app: App
    var current: Release?
    var parts: [Part]
    var settings: AppSettings
    var blockers: [String] = []

    var version: Int { (current?.version ?? 0) + 1 }
    /// Nothing for the first release, in which everything is new.
    var settingChanges: [SettingChange] { current.map { settings.changes(from: $0.settings) } ?? [] }
    var removedSegments: [String] {
        let names = Set(parts.map(\.name))
        return (current?.segments ?? []).map(\.name).filter { !names.contains($0) }
    }
    var hasChanges: Bool {
        guard let current else { return !parts.isEmpty }
        return settings != current.settings || !removedSegments.isEmpty || parts.contains(where: \.isChanged)
    }

    /// A release with the documents it names.
    struct Frozen {
        var release: Release
        var document: Data
        /// The manifests that are new.
        var manifests: [SHA256Digest: Data]
    }

    /// Freezes the draft: signs a manifest for each changed segment and the release over all.
    func freeze(at date: Date, identity: SigningIdentity) throws -> Frozen {
        var manifests: [SHA256Digest: Data] = [:]
        let segments = try parts.map { part in
            if let current = part.current, !part.isChanged { return current }
            let manifest = Manifest(
                app: app.id, segment: part.name, version: part.nextVersion, createdAt: date, items: part.items)
            let document = try identity.sign(manifest, label: SignedDocument.manifestLabel)
            let digest = SHA256Digest.of(document)
            manifests[digest] = document
            return Release.Segment(
                name: part.name, version: part.nextVersion, manifest: digest, itemCount: part.items.count,
                byteCount: part.byteCount)
        }
        let release = Release(
            app: app.id, version: version, publishedAt: date, segments: segments, policy: settings.policy,
            quality: settings.quality, pins: settings.pins)
        let document = try identity.sign(release, label: SignedDocument.releaseLabel)
        return Frozen(release: release, document: document, manifests: manifests)
    }

    /// The draft as an operator reads it.
    var preview: PublicationPreview {
        PublicationPreview(
            nextReleaseVersion: version, segments: parts.map(\.change), removedSegments: removedSegments,
            settingChanges: settingChanges, blockers: blockers)
    }
}

extension ReleaseDraft.Part {
    fileprivate var change: PublicationPreview.SegmentChange {
        let before = Dictionary(currentItems.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        let after = Set(items.map(\.url))
        return PublicationPreview.SegmentChange(
            name: name, currentVersion: current?.version,
            nextVersion: isChanged ? nextVersion : current?.version ?? nextVersion,
            itemCount: items.count, byteCount: byteCount,
            addedCount: items.count { before[$0.url] == nil },
            changedCount: items.count { item in before[item.url].map { $0 != item } ?? false },
            removedCount: currentItems.count { !after.contains($0.url) }, failedCount: failedCount)
    }
}

extension Manifest.Item {
    /// The item as published; `nil` unless its check was good.
    init?(_ item: SegmentItem) {
        guard item.state == .ready || item.state == .warning, let digest = item.sha256 else { return nil }
        self.init(
            url: item.url, byteCount: item.byteCount, sha256: digest, eTag: item.eTag,
            lastModified: item.lastModified, contentType: item.contentType, contentEncoding: item.contentEncoding,
            priority: item.priority, isEssential: item.isEssential)
    }
}
