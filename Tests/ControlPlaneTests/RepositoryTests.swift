import ControlModel
import Cryptography
import Foundation
import SQLiteDatabase
import SQLiteRepository
import TestSupport
import Testing
import Wire

@Suite("The SQLite repository")
struct RepositoryTests {
    private static let date = Date(timeIntervalSince1970: 1_767_225_600)

    private func open(_ directory: TemporaryDirectory) throws -> SQLiteRepository {
        try SQLiteRepository(path: directory.path("server.sqlite"))
    }

    private func app(_ id: String = "app_1") -> App {
        App(id: id, name: "News", bundleID: "com.example.news", createdAt: Self.date, policy: DownloadPolicy())
    }

    private func release(version: Int, segments: [Release.Segment] = []) throws -> StoredRelease {
        let release = Release(
            app: "app_1", version: version, publishedAt: Self.date, segments: segments, policy: DownloadPolicy())
        let key = try #require(Ed25519PrivateKey(seed: Data(repeating: 7, count: 32)))
        let signed = try #require(
            SignedDocument.signing(
                WireCoding.encode(release), label: SignedDocument.releaseLabel, keyID: "k", key: key))
        return StoredRelease(release: release, document: try WireCoding.encode(signed), publishedBy: "ada")
    }

    @Test("everything written is there after closing and opening again, which changes nothing")
    func reopen() async throws {
        let directory = try TemporaryDirectory()
        var item = SegmentItem(appID: "app_1", segment: "news", url: "https://example.com/a", priority: 3)
        item.state = .warning
        item.byteCount = 12
        item.sha256 = SHA256Digest.of(Data("a".utf8))
        item.eTag = "\"1\""
        item.lastModified = "yesterday"
        item.contentType = "text/plain"
        item.contentEncoding = "gzip"
        item.findings = ["one", "two \"quoted\""]
        item.checkedAt = Self.date
        let segment = Segment(appID: "app_1", name: "news", note: "note", createdAt: Self.date)
        let key = APIKey(key: "lk_1", appID: "app_1", name: "key", createdAt: Self.date, revokedAt: Self.date + 1)
        let device = Device(
            id: "dev_1", appID: "app_1", tokenDigest: SHA256Digest.of(Data("t".utf8)), apiKey: "lk_1",
            platform: "Linux", sdkVersion: "1", registeredAt: Self.date, lastSeenAt: Self.date)
        var job = IngestJob(
            id: "ing_1", appID: "app_1", segment: "news", source: .urls(["https://example.com/a"]),
            replacesItems: true, startedAt: Self.date)
        job.failure = "why"
        let session = AdminSession(
            tokenDigest: SHA256Digest.of(Data("s".utf8)), administrator: "ada", formToken: "f", expiresAt: Self.date)
        let stored = try release(version: 1)
        do {
            let repository = try open(directory)
            try await repository.save(Administrator(name: "ada", passwordHash: "h"))
            try await repository.save(session)
            try await repository.save(app())
            try await repository.save(key)
            try await repository.save(segment)
            try await repository.save([item])
            try await repository.save(job)
            try await repository.save(device)
            try await repository.publish(stored, manifests: [:], segments: [])
            try await repository.setSetting("a", to: Data([1, 2]))
        }
        for _ in 0..<2 {
            let repository = try open(directory)
            #expect(try await repository.administrators() == [Administrator(name: "ada", passwordHash: "h")])
            #expect(try await repository.session(tokenDigest: session.tokenDigest) == session)
            #expect(try await repository.apps() == [app()])
            #expect(try await repository.apiKey("lk_1") == key)
            #expect(try await repository.segments(appID: "app_1") == [segment])
            #expect(try await repository.items(appID: "app_1", segment: "news") == [item])
            #expect(try await repository.ingestJob(id: "ing_1") == job)
            #expect(try await repository.runningIngestJobs() == [job])
            #expect(try await repository.device(id: "dev_1") == device)
            #expect(try await repository.currentRelease(appID: "app_1") == stored)
            #expect(try await repository.setting("a") == Data([1, 2]))
            #expect(try await repository.setting("b") == nil)
        }
    }

    @Test("a file of a newer schema, and one that is no database, is refused with a sentence")
    func unusable() throws {
        let directory = try TemporaryDirectory()
        _ = try open(directory)
        let database = try SQLiteDatabase(path: directory.path("server.sqlite"))
        try database.withWriter { try $0.execute("PRAGMA user_version = 999") }
        let error = try #require(throws: RepositoryError.self) { try open(directory) }
        #expect(error.description.contains("newer"))
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: directory.path("other.sqlite")))
        #expect(throws: RepositoryError.self) { try SQLiteRepository(path: directory.path("other.sqlite")) }
        #expect(throws: RepositoryError.self) { try SQLiteRepository(path: directory.path("no/such/place.sqlite")) }
    }

    @Test("only the user who runs the server can read the file and its log")
    func permissions() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(directory)
        try await repository.save(app())
        for name in ["server.sqlite", "server.sqlite-wal"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path(name))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test("a release is published whole or not at all")
    func atomicPublish() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(directory)
        try await repository.save(app())
        try await repository.save(Segment(appID: "app_1", name: "news", note: "", createdAt: Self.date))
        let digest = SHA256Digest.of(Data("manifest".utf8)), other = SHA256Digest.of(Data("other".utf8))
        func segment(_ version: Int, _ digest: SHA256Digest) -> Segment {
            Segment(
                appID: "app_1", name: "news", note: "ignored", createdAt: Self.date, publishedVersion: version,
                publishedManifest: digest)
        }
        try await repository.publish(
            release(version: 1), manifests: [digest: Data("manifest".utf8)], segments: [segment(1, digest)])
        await #expect(throws: RepositoryError.conflict("the app app_1 has a release 1 already")) {
            try await repository.publish(
                release(version: 1), manifests: [other: Data("other".utf8)], segments: [segment(2, other)])
        }
        #expect(try await repository.manifest(other) == nil)
        #expect(try await repository.manifest(digest) == Data("manifest".utf8))
        let row = try #require(await repository.segment(appID: "app_1", name: "news"))
        #expect(row.publishedVersion == 1 && row.publishedManifest == digest && row.note == "")
        #expect(try await repository.highestSegmentVersions(appID: "app_1") == ["news": 1])
        // A segment that was removed meanwhile is not brought back, but its version is remembered.
        try await repository.removeSegment(appID: "app_1", name: "news")
        try await repository.publish(release(version: 2), manifests: [:], segments: [segment(5, digest)])
        #expect(try await repository.segments(appID: "app_1").isEmpty)
        #expect(try await repository.highestSegmentVersions(appID: "app_1") == ["news": 5])
        #expect(try await repository.releases(appID: "app_1", limit: 1).map(\.release.version) == [2])
        #expect(try await repository.release(appID: "app_1", version: 1)?.release.version == 1)
    }

    @Test("items go with their segment, and none is stored without one")
    func segmentItems() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(directory)
        try await repository.save(app())
        try await repository.save(Segment(appID: "app_1", name: "news", note: "", createdAt: Self.date))
        let items = ["b", "a", "c"].map { SegmentItem(appID: "app_1", segment: "news", url: "https://e.x/\($0)") }
        try await repository.save(items)
        #expect(
            try await repository.items(appID: "app_1", segment: "news").map(\.url)
                == ["https://e.x/a", "https://e.x/b", "https://e.x/c"])
        // All or nothing: the second item has no segment.
        await #expect(throws: RepositoryError.self) {
            try await repository.save([
                SegmentItem(appID: "app_1", segment: "news", url: "https://e.x/d"),
                SegmentItem(appID: "app_1", segment: "none", url: "https://e.x/d"),
            ])
        }
        #expect(try await repository.items(appID: "app_1", segment: "news").count == 3)
        try await repository.replaceItems(appID: "app_1", segment: "news", with: [items[0]])
        #expect(try await repository.items(appID: "app_1", segment: "news") == [items[0]])
        try await repository.removeSegment(appID: "app_1", name: "news")
        #expect(try await repository.items(appID: "app_1", segment: "news").isEmpty)
    }

    @Test("of ended ingests the newest fifty are kept for each app, and every running one")
    func keptJobs() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(directory)
        try await repository.save(app())
        for index in 0..<53 {
            var job = IngestJob(
                id: "ing_\(index)", appID: "app_1", segment: "news", source: .sitemap("https://e.x/"),
                replacesItems: false, startedAt: Self.date + Double(index))
            if index > 0 { job.state = .succeeded }
            try await repository.save(job)
        }
        let jobs = try await repository.ingestJobs(appID: "app_1", limit: 100)
        #expect(jobs.count == 51)
        #expect(jobs.first?.id == "ing_52" && jobs.last?.id == "ing_0")
        #expect(try await repository.ingestJob(id: "ing_2") == nil)
        #expect(try await repository.ingestJobs(appID: "app_1", limit: 2).map(\.id) == ["ing_52", "ing_51"])
    }

    @Test("expired sessions go, the others stay")
    func expiredSessions() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(directory)
        let sessions = (0..<3).map { index in
            AdminSession(
                tokenDigest: SHA256Digest.of(Data([UInt8(index)])), administrator: index == 2 ? "bob" : "ada",
                formToken: "f", expiresAt: Self.date + Double(index))
        }
        for session in sessions { try await repository.save(session) }
        try await repository.removeSessions(expiredBefore: Self.date + 1)
        #expect(try await repository.session(tokenDigest: sessions[0].tokenDigest) == nil)
        #expect(try await repository.session(tokenDigest: sessions[1].tokenDigest) == sessions[1])
        try await repository.removeSessions(administrator: "ada")
        #expect(try await repository.session(tokenDigest: sessions[1].tokenDigest) == nil)
        try await repository.removeSession(tokenDigest: sessions[2].tokenDigest)
        #expect(try await repository.session(tokenDigest: sessions[2].tokenDigest) == nil)
    }

    @Test("a hundred tasks read and write at the same time")
    func concurrency() async throws {
        let directory = try TemporaryDirectory()
        let repository = try open(directory)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                group.addTask {
                    try await repository.save(
                        App(
                            id: "app_\(index)", name: "\(index)", bundleID: "b", createdAt: Self.date,
                            policy: DownloadPolicy()))
                    #expect(try await repository.app(id: "app_\(index)")?.name == "\(index)")
                    _ = try await repository.apps()
                }
            }
            try await group.waitForAll()
        }
        #expect(try await repository.apps().count == 100)
    }
}
