import ControlModel
import ControlPlane
import Cryptography
import Foundation
import TestSupport
import Testing
import Wire

@Suite("Releases")
struct ReleaseTests {
    private static let a = "https://example.com/a", b = "https://example.com/b"

    private func serverWithContent() async throws -> (server: TestServer, app: App) {
        let server = try await TestServer()
        let app = try await server.makeApp()
        server.origin.serve(Self.a, "first")
        server.origin.serve(Self.b, "second")
        try await server.ingest([Self.a, Self.b], into: app)
        return (server, app)
    }

    private func manifest(_ server: TestServer, _ segment: Release.Segment) async throws -> Manifest {
        let document = try #require(try await server.plane.manifest(segment.manifest))
        #expect(SHA256Digest.of(document) == segment.manifest)
        let signed = try WireCoding.decode(SignedDocument.self, from: document)
        let payload = try signed.verifiedPayload(
            label: SignedDocument.manifestLabel, keys: server.plane.signingKeys)
        return try WireCoding.decode(Manifest.self, from: payload)
    }

    @Test("publishing signs a release and the manifests it names")
    func publish() async throws {
        let (server, app) = try await serverWithContent()
        let stored = try await server.plane.publish(appID: app.id, by: "ada")
        #expect(stored.publishedBy == "ada")
        #expect(stored.release.version == 1)
        #expect(stored.release.policy == app.policy)
        let signed = try WireCoding.decode(SignedDocument.self, from: stored.document)
        let payload = try signed.verifiedPayload(label: SignedDocument.releaseLabel, keys: server.plane.signingKeys)
        #expect(try WireCoding.decode(Release.self, from: payload) == stored.release)
        #expect(try await server.plane.currentRelease(appID: app.id) == stored)

        let segment = try #require(stored.release.segments.first)
        #expect(segment.name == "news" && segment.version == 1 && segment.itemCount == 2 && segment.byteCount == 11)
        let manifest = try await manifest(server, segment)
        #expect(manifest.items.map(\.url) == [Self.a, Self.b])
        #expect(manifest.items.map(\.sha256) == ["first", "second"].map { SHA256Digest.of(Data($0.utf8)) })
        let row = try await server.plane.segment(appID: app.id, name: "news")
        #expect(row.publishedVersion == 1 && row.publishedManifest == segment.manifest)
    }

    @Test("the key that signs is made once, is kept, and is named by its digest")
    func signingKey() async throws {
        let server = try await TestServer()
        let again = try await ControlPlane(
            repository: server.repository, transport: server.origin, timekeeper: server.timekeeper)
        #expect(again.signingKeys == server.plane.signingKeys)
        let key = try #require(again.signingKeys.first)
        #expect(key.id == SHA256Digest.of(key.publicKey).hex.prefix(16))
        try await server.repository.setSetting("signing-key", to: Data("short".utf8))
        await #expect(throws: RepositoryError.self) {
            try await ControlPlane(
                repository: server.repository, transport: server.origin, timekeeper: server.timekeeper)
        }
    }

    @Test("with nothing changed there is nothing to publish; a policy counts as a change")
    func nothing() async throws {
        let (server, app) = try await serverWithContent()
        let first = try await server.plane.publish(appID: app.id, by: "ada")
        await expectProblem(409, "nothing-to-publish") { try await server.plane.publish(appID: app.id, by: "ada") }
        // Checking again finds the same, which is no change either.
        server.timekeeper.advance(by: .seconds(60))
        try await server.ingest([Self.a, Self.b], into: app)
        await expectProblem(409, "nothing-to-publish") { try await server.plane.publish(appID: app.id, by: "ada") }
        var policy = DownloadPolicy()
        policy.bytesPerSecondMax = 100_000
        _ = try await server.plane.updateApp(
            id: app.id, name: "News", bundleID: app.bundleID, settings: AppSettings(policy: policy))
        let second = try await server.plane.publish(appID: app.id, by: "ada")
        #expect(second.release.version == 2)
        #expect(second.release.policy == policy)
        #expect(second.release.segments == first.release.segments)
    }

    @Test("an app without good items has nothing to publish")
    func empty() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        await expectProblem(409, "nothing-to-publish") { try await server.plane.publish(appID: app.id, by: "ada") }
        #expect(try await server.plane.currentRelease(appID: app.id) == nil)
    }

    @Test("only the segments that changed get a new version; failed items are left out")
    func changedOnly() async throws {
        let (server, app) = try await serverWithContent()
        _ = try await server.plane.createSegment(appID: app.id, name: "sport", note: "")
        server.origin.serve("https://example.com/s", "sport")
        try await server.ingest(["https://example.com/s"], into: app, segment: "sport")
        let first = try await server.plane.publish(appID: app.id, by: "ada").release
        server.origin.serve(Self.a, "first, changed")
        server.origin[Self.b]?.status = 404
        try await server.ingest([Self.a, Self.b], into: app)
        let preview = try await server.plane.publicationPreview(appID: app.id)
        let second = try await server.plane.publish(appID: app.id, by: "ada").release
        #expect(second.segments.map(\.name) == ["news", "sport"])
        #expect(second.segments.map(\.version) == [2, 1])
        #expect(second.segments[1] == first.segments[1])
        #expect(try await manifest(server, second.segments[0]).items.map(\.url) == [Self.a])

        #expect(preview.nextReleaseVersion == 2 && preview.hasChanges && preview.blockers.isEmpty)
        let news = try #require(preview.segments.first)
        #expect(news.currentVersion == 1 && news.nextVersion == 2)
        #expect(news.addedCount == 0 && news.changedCount == 1 && news.removedCount == 1 && news.failedCount == 1)
        #expect(!preview.segments[1].isChanged)
    }

    @Test("items that wait and ingests that run hold a publication back")
    func pending() async throws {
        let (server, app) = try await serverWithContent()
        try await server.repository.save([
            SegmentItem(appID: app.id, segment: "news", url: "https://example.com/waiting")
        ])
        await expectProblem(409, "not-ready") { try await server.plane.publish(appID: app.id, by: "ada") }
        try await server.plane.removeItem(appID: app.id, segment: "news", url: "https://example.com/waiting")
        server.origin.hold()
        let job = try await server.plane.startIngest(
            appID: app.id, segment: "news", source: .urls([Self.a]), replacesItems: false)
        await expectProblem(409, "not-ready") { try await server.plane.publish(appID: app.id, by: "ada") }
        #expect(try await server.plane.publicationPreview(appID: app.id).blockers.count == 1)
        server.origin.release()
        _ = try await server.plane.waitForIngest(id: job.id)
        _ = try await server.plane.publish(appID: app.id, by: "ada")
    }

    @Test("an origin that is down does not empty what devices have")
    func allFailed() async throws {
        let (server, app) = try await serverWithContent()
        _ = try await server.plane.publish(appID: app.id, by: "ada")
        server.origin[Self.a] = nil
        server.origin[Self.b] = nil
        try await server.ingest([Self.a, Self.b], into: app, replacing: true)
        await expectProblem(409, "not-ready") { try await server.plane.publish(appID: app.id, by: "ada") }
    }

    @Test("a removed segment leaves the release; made anew, its version goes on rising")
    func removedSegment() async throws {
        let (server, app) = try await serverWithContent()
        _ = try await server.plane.publish(appID: app.id, by: "ada")
        try await server.plane.removeSegment(appID: app.id, name: "news")
        let without = try await server.plane.publish(appID: app.id, by: "ada").release
        #expect(without.segments.isEmpty)
        _ = try await server.plane.createSegment(appID: app.id, name: "news", note: "")
        try await server.ingest([Self.a], into: app)
        let with = try await server.plane.publish(appID: app.id, by: "ada").release
        #expect(with.segments.map(\.holder) == ["news@2"])
    }

    @Test("rolling back publishes the old content under new versions")
    func rollBack() async throws {
        let (server, app) = try await serverWithContent()
        let first = try await server.plane.publish(appID: app.id, by: "ada").release
        server.origin.serve(Self.a, "broken")
        try await server.ingest([Self.a, Self.b], into: app)
        _ = try await server.plane.publish(appID: app.id, by: "ada")
        let back = try await server.plane.rollBack(appID: app.id, toVersion: 1, by: "bob")
        #expect(back.release.version == 3)
        #expect(back.publishedBy == "bob")
        #expect(back.release.segments.map(\.holder) == ["news@3"])
        let old = try await manifest(server, first.segments[0])
        #expect(try await manifest(server, back.release.segments[0]).items == old.items)
        await expectProblem(409, "nothing-to-publish") {
            try await server.plane.rollBack(appID: app.id, toVersion: 1, by: "bob")
        }
        await expectProblem(404, "unknown-release") {
            try await server.plane.rollBack(appID: app.id, toVersion: 9, by: "bob")
        }
        // The segment as edited still holds the other content, which can be published again.
        let forth = try await server.plane.publish(appID: app.id, by: "ada").release
        #expect(forth.version == 4 && forth.segments.map(\.version) == [4])
        #expect(try await server.plane.releases(appID: app.id, limit: 2).map(\.release.version) == [4, 3])
    }

    @Test("of two publications at the same moment one wins and the other is told")
    func race() async throws {
        let (server, app) = try await serverWithContent()
        let problems = await withTaskGroup(of: ProblemDocument?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do {
                        _ = try await server.plane.publish(appID: app.id, by: "ada")
                        return nil
                    } catch {
                        return error as? ProblemDocument
                    }
                }
            }
            return await group.reduce(into: [ProblemDocument?]()) { $0.append($1) }
        }
        #expect(problems.count { $0 == nil } == 1)
        #expect(problems.compactMap { $0?.status }.allSatisfy { $0 == 409 })
        #expect(try await server.plane.releases(appID: app.id, limit: 10).count == 1)
    }
}
