public import ControlModel
public import Cryptography
import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    private static let query = "SELECT document, published_by FROM releases WHERE app_id = ?"

    public func releases(appID: String, limit: Int) async throws -> [StoredRelease] {
        try await read { connection in
            try connection.query("\(Self.query) ORDER BY version DESC LIMIT ?", appID, limit) { try Self.release($0) }
        }
    }

    public func release(appID: String, version: Int) async throws -> StoredRelease? {
        try await read { connection in
            try connection.first("\(Self.query) AND version = ?", appID, version) { try Self.release($0) }
        }
    }

    public func currentRelease(appID: String) async throws -> StoredRelease? {
        try await read { connection in
            try connection.first("\(Self.query) ORDER BY version DESC LIMIT 1", appID) { try Self.release($0) }
        }
    }

    public func highestSegmentVersions(appID: String) async throws -> [String: Int] {
        let pairs = try await read { connection in
            try connection.query("SELECT name, highest_version FROM segment_versions WHERE app_id = ?", appID) { row in
                Pair(name: row.string(0), version: row.int(1))
            }
        }
        return Dictionary(pairs.map { ($0.name, $0.version) }, uniquingKeysWith: max)
    }

    private struct Pair: Sendable {
        var name: String
        var version: Int
    }

    public func publish(
        _ release: StoredRelease, manifests: [SHA256Digest: Data], segments: [Segment]
    ) async throws {
        try await write { connection in
            try Self.store(release, connection)
            for (digest, document) in manifests {
                try connection.run(
                    "INSERT INTO manifests (digest, document) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING",
                    digest.hex, document)
            }
            for segment in segments { try Self.notePublication(of: segment, connection) }
        }
    }

    private static func store(_ stored: StoredRelease, _ connection: SQLiteConnection) throws {
        let release = stored.release
        let isStored = try connection.run(
            """
            INSERT INTO releases (app_id, version, published_by, document) VALUES (?, ?, ?, ?)
            ON CONFLICT (app_id, version) DO NOTHING
            """, release.app, release.version, stored.publishedBy, stored.document)
        guard isStored == 1 else {
            throw RepositoryError.conflict("the app \(release.app) has a release \(release.version) already")
        }
    }

    private static func notePublication(of segment: Segment, _ connection: SQLiteConnection) throws {
        try connection.run(
            "UPDATE segments SET published_version = ?, published_manifest = ? WHERE app_id = ? AND name = ?",
            segment.publishedVersion, segment.publishedManifest?.hex, segment.appID, segment.name)
        try connection.run(
            """
            INSERT INTO segment_versions (app_id, name, highest_version) VALUES (?, ?, ?)
            ON CONFLICT (app_id, name) DO UPDATE SET highest_version = MAX(highest_version, excluded.highest_version)
            """, segment.appID, segment.name, segment.publishedVersion)
    }

    public func manifest(_ digest: SHA256Digest) async throws -> Data? {
        try await read { connection in
            try connection.first("SELECT document FROM manifests WHERE digest = ?", digest.hex) { $0.data(0) }
        }
    }

    /// The signed document is the one truth; what it says is read out of it.
    private static func release(_ row: borrowing SQLiteRow) throws -> StoredRelease {
        let document = row.data(0)
        do {
            let signed = try WireCoding.decode(SignedDocument.self, from: document)
            return StoredRelease(
                release: try WireCoding.decode(Release.self, from: signed.payload), document: document,
                publishedBy: row.string(1))
        } catch {
            throw RepositoryError.unusable("a stored release cannot be read: \(error)")
        }
    }
}
