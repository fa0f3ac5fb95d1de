public import ControlModel
import Cryptography
import SQLiteDatabase

extension SQLiteRepository {
    private static let columns = "app_id, name, note, created_at, published_version, published_manifest"

    public func segments(appID: String) async throws -> [Segment] {
        try await read { connection in
            try connection.query("SELECT \(Self.columns) FROM segments WHERE app_id = ? ORDER BY name", appID) {
                try Self.segment($0)
            }
        }
    }

    public func segment(appID: String, name: String) async throws -> Segment? {
        try await read { connection in
            try connection.first(
                "SELECT \(Self.columns) FROM segments WHERE app_id = ? AND name = ?", appID, name
            ) { try Self.segment($0) }
        }
    }

    public func save(_ segment: Segment) async throws {
        try await write { connection in
            try connection.run(
                """
                INSERT INTO segments (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (app_id, name) DO UPDATE SET
                    note = excluded.note, published_version = excluded.published_version,
                    published_manifest = excluded.published_manifest
                """, segment.appID, segment.name, segment.note, segment.createdAt.milliseconds,
                segment.publishedVersion, segment.publishedManifest?.hex)
        }
    }

    public func removeSegment(appID: String, name: String) async throws {
        // The items go by the foreign key.
        try await write { try $0.run("DELETE FROM segments WHERE app_id = ? AND name = ?", appID, name) }
    }

    private static func segment(_ row: borrowing SQLiteRow) throws -> Segment {
        Segment(
            appID: row.string(0), name: row.string(1), note: row.string(2), createdAt: row.date(3),
            publishedVersion: row.int(4), publishedManifest: try row.optionalDigest(5))
    }
}
