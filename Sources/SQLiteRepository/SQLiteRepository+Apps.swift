public import ControlModel
import SQLiteDatabase
import Wire

extension SQLiteRepository {
    private static let appColumns = "id, name, bundle_id, created_at, policy, quality, pins"
    private static let keyColumns = "key, app_id, name, created_at, revoked_at"

    public func apps() async throws -> [App] {
        try await read { connection in
            try connection.query("SELECT \(Self.appColumns) FROM apps ORDER BY name, id") { try Self.app($0) }
        }
    }

    public func app(id: String) async throws -> App? {
        try await read { connection in
            try connection.first("SELECT \(Self.appColumns) FROM apps WHERE id = ?", id) { try Self.app($0) }
        }
    }

    public func save(_ app: App) async throws {
        try await write { connection in
            try connection.run(
                """
                INSERT INTO apps (\(Self.appColumns)) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET
                    name = excluded.name, bundle_id = excluded.bundle_id, created_at = excluded.created_at,
                    policy = excluded.policy, quality = excluded.quality, pins = excluded.pins
                """, app.id, app.name, app.bundleID, app.createdAt.milliseconds, app.policy.json(), app.quality.json(),
                app.pins.json())
        }
    }

    private static func app(_ row: borrowing SQLiteRow) throws -> App {
        App(
            id: row.string(0), name: row.string(1), bundleID: row.string(2), createdAt: row.date(3),
            policy: try row.json(DownloadPolicy.self, 4),
            quality: row.isNull(5) ? QualityThresholds() : try row.json(QualityThresholds.self, 5),
            pins: try row.json([PinRule].self, 6))
    }

    public func apiKeys(appID: String) async throws -> [APIKey] {
        try await read { connection in
            try connection.query(
                "SELECT \(Self.keyColumns) FROM api_keys WHERE app_id = ? ORDER BY created_at DESC, rowid DESC", appID
            ) { Self.key($0) }
        }
    }

    public func apiKey(_ key: String) async throws -> APIKey? {
        try await read { connection in
            try connection.first("SELECT \(Self.keyColumns) FROM api_keys WHERE key = ?", key) { Self.key($0) }
        }
    }

    public func save(_ key: APIKey) async throws {
        try await write { connection in
            try connection.run(
                """
                INSERT INTO api_keys (\(Self.keyColumns)) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET name = excluded.name, revoked_at = excluded.revoked_at
                """, key.key, key.appID, key.name, key.createdAt.milliseconds, key.revokedAt?.milliseconds)
        }
    }

    private static func key(_ row: borrowing SQLiteRow) -> APIKey {
        APIKey(
            key: row.string(0), appID: row.string(1), name: row.string(2), createdAt: row.date(3),
            revokedAt: row.optionalDate(4))
    }
}
