public import ControlModel
public import Cryptography
import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ControlPlane {
    /// Freezes every segment's good items into signed manifests and makes a new release of them.
    ///
    /// Unchanged segments keep their version and manifest. A segment that never had a good item is left out.
    /// - Throws: a 404 problem; a 409 problem when items are still pending, an ingest runs, a published segment would lose
    ///   every item because its checks failed, nothing would change, or someone else published at the same moment.
    public func publish(appID: String, by administrator: String) async throws -> StoredRelease {
        let draft = try await draft(appID: appID)
        if let blocker = draft.blockers.first {
            throw ProblemDocument.conflict("not-ready", "Not ready to publish", blocker)
        }
        return try await publish(draft, by: administrator)
    }

    /// What ``publish(appID:by:)`` would do now.
    /// - Throws: a 404 problem.
    public func publicationPreview(appID: String) async throws -> PublicationPreview {
        try await draft(appID: appID).preview
    }

    /// Publishes the content and settings of an earlier release again, under a new version; segments and settings as edited
    /// stay as they are.
    /// - Throws: a 404 problem; a 409 problem when devices have that content already.
    public func rollBack(
        appID: String, toVersion version: Int, by administrator: String
    ) async throws -> StoredRelease {
        let app = try await app(id: appID)
        guard let target = try await repository.release(appID: app.id, version: version)?.release else {
            throw ProblemDocument.unknown("release", "\(version)", hint: "List the app's releases to find one.")
        }
        let current = try await repository.currentRelease(appID: app.id)?.release
        let highest = try await repository.highestSegmentVersions(appID: app.id)
        var parts: [ReleaseDraft.Part] = []
        for segment in target.segments {
            let now = current?.segments.first { $0.name == segment.name }
            let items = try await publishedItems(segment)
            parts.append(
                ReleaseDraft.Part(
                    name: segment.name, items: items, current: now,
                    currentItems: now?.manifest == segment.manifest ? items : try await publishedItems(now),
                    nextVersion: max(highest[segment.name] ?? 0, segment.version) + 1))
        }
        let draft = ReleaseDraft(app: app, current: current, parts: parts, settings: target.settings)
        return try await publish(draft, by: administrator)
    }

    /// The releases of an app, the newest first.
    public func releases(appID: String, limit: Int) async throws -> [StoredRelease] {
        try await repository.releases(appID: app(id: appID).id, limit: min(max(limit, 1), 1_000))
    }

    /// The newest release; `nil` when nothing was published yet.
    /// - Throws: a 404 problem.
    public func currentRelease(appID: String) async throws -> StoredRelease? {
        try await repository.currentRelease(appID: app(id: appID).id)
    }

    /// The signed bytes of a manifest.
    public func manifest(_ digest: SHA256Digest) async throws -> Data? { try await repository.manifest(digest) }

    // MARK: - Making a draft

    private func draft(appID: String) async throws -> ReleaseDraft {
        let app = try await app(id: appID)
        let current = try await repository.currentRelease(appID: app.id)?.release
        let highest = try await repository.highestSegmentVersions(appID: app.id)
        var draft = ReleaseDraft(app: app, current: current, parts: [], settings: app.settings)
        // Taken first: an ingest that starts after this shows by its waiting items.
        let running = ingests.runningSegments(appID: app.id)
        for name in running.sorted() {
            draft.blockers.append("An ingest into the segment \"\(name)\" is running. Publish when it has ended.")
        }
        for segment in try await repository.segments(appID: app.id) {
            let items = try await repository.items(appID: app.id, segment: segment.name)
            let published = current?.segments.first { $0.name == segment.name }
            let good = items.compactMap { Manifest.Item($0) }
            if !running.contains(segment.name) {
                draft.blockers += blockers(segment, items: items, hasGood: !good.isEmpty, isPublished: published != nil)
            }
            guard !good.isEmpty || published != nil else { continue }
            draft.parts.append(
                ReleaseDraft.Part(
                    name: segment.name, items: good, current: published,
                    currentItems: try await publishedItems(published),
                    nextVersion: max(highest[segment.name] ?? 0, segment.publishedVersion) + 1,
                    failedCount: items.count { $0.state == .failed }))
        }
        return draft
    }

    private func blockers(_ segment: Segment, items: [SegmentItem], hasGood: Bool, isPublished: Bool) -> [String] {
        let pending = items.count { $0.state == .pending }
        if pending > 0 {
            return [
                "\(pending) of \(items.count) items of the segment \"\(segment.name)\" were not checked yet. "
                    + "Ingest them again or remove them."
            ]
        }
        if isPublished, !hasGood, !items.isEmpty {
            return [
                "Every item of the segment \"\(segment.name)\" failed its check, so devices would lose all of it. "
                    + "Mend the origin and ingest again, or remove the segment."
            ]
        }
        return []
    }

    /// What the manifest of a released segment lists.
    private func publishedItems(_ segment: Release.Segment?) async throws -> [Manifest.Item] {
        guard let segment else { return [] }
        guard let document = try await repository.manifest(segment.manifest) else {
            throw RepositoryError.unusable(
                "the manifest \(segment.manifest) of the segment \(segment.name) is missing; restore it from a backup")
        }
        let signed = try WireCoding.decode(SignedDocument.self, from: document)
        return try WireCoding.decode(Manifest.self, from: signed.payload).items
    }

    // MARK: - Publishing it

    private func publish(_ draft: ReleaseDraft, by administrator: String) async throws -> StoredRelease {
        guard draft.hasChanges else {
            let state =
                draft.current.map { "Devices have all of this already, with release \($0.version)." }
                ?? "The app has no segment with good items yet; ingest some first."
            throw ProblemDocument.conflict("nothing-to-publish", "Nothing to publish", state)
        }
        let date = now
        let frozen = try draft.freeze(at: date, identity: identity)
        let stored = StoredRelease(release: frozen.release, document: frozen.document, publishedBy: administrator)
        let segments = frozen.release.segments.map { segment in
            Segment(
                appID: draft.app.id, name: segment.name, note: "", createdAt: date,
                publishedVersion: segment.version, publishedManifest: segment.manifest)
        }
        do {
            try await repository.publish(stored, manifests: frozen.manifests, segments: segments)
        } catch RepositoryError.conflict {
            throw ProblemDocument.conflict(
                "publish-conflict", "Published meanwhile",
                "Someone else published release \(draft.version) at the same moment. Look at it, then publish again.")
        }
        return stored
    }
}
