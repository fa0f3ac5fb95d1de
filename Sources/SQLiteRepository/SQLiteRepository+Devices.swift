public import ControlModel
import Cryptography
import SQLiteDatabase
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    private static let progressCountMax = 10_000
    private static let columns = """
        id, app_id, token_digest, api_key, platform, sdk_version, registered_at, last_seen_at, push_service, push_token
        """

    public func devices(appID: String, limit: Int, offset: Int) async throws -> [Device] {
        try await read { connection in
            try connection.query(
                """
                SELECT \(Self.columns) FROM devices WHERE app_id = ?
                ORDER BY last_seen_at DESC, rowid DESC LIMIT ? OFFSET ?
                """, appID, limit, offset
            ) { try Self.device($0) }
        }
    }

    public func deviceCount(appID: String) async throws -> Int {
        try await read { connection in
            try connection.first("SELECT COUNT(*) FROM devices WHERE app_id = ?", appID) { $0.int(0) } ?? 0
        }
    }

    public func device(id: String) async throws -> Device? {
        try await read { connection in
            try connection.first("SELECT \(Self.columns) FROM devices WHERE id = ?", id) { try Self.device($0) }
        }
    }

    public func save(_ device: Device) async throws {
        try await write { connection in
            try connection.run(
                """
                INSERT INTO devices (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET
                    token_digest = excluded.token_digest, api_key = excluded.api_key, platform = excluded.platform,
                    sdk_version = excluded.sdk_version, last_seen_at = excluded.last_seen_at
                """, device.id, device.appID, device.tokenDigest.hex, device.apiKey, device.platform,
                device.sdkVersion, device.registeredAt.milliseconds, device.lastSeenAt.milliseconds,
                device.pushToken?.service, device.pushToken?.token)
        }
    }

    public func noteSeen(deviceID: String, at date: Date) async throws {
        try await write { connection in
            try connection.run("UPDATE devices SET last_seen_at = ? WHERE id = ?", date.milliseconds, deviceID)
        }
    }

    public func setPushToken(deviceID: String, to token: PushTokenRequest?) async throws {
        try await write { connection in
            try connection.run(
                "UPDATE devices SET push_service = ?, push_token = ? WHERE id = ?", token?.service, token?.token,
                deviceID)
        }
    }

    public func removeDevice(id: String) async throws {
        try await write { connection in
            try connection.run("DELETE FROM devices WHERE id = ?", id)
            try connection.run("DELETE FROM progress WHERE device_id = ?", id)
            // A name of its own for each batch: together they would still be one device's story.
            try connection.run("UPDATE batches SET device_id = 'forgotten ' || number WHERE device_id = ?", id)
        }
    }

    private static func device(_ row: borrowing SQLiteRow) throws -> Device {
        let token = row.optionalString(9)
        return Device(
            id: row.string(0), appID: row.string(1), tokenDigest: try row.digest(2), apiKey: row.string(3),
            platform: row.string(4), sdkVersion: row.string(5), registeredAt: row.date(6), lastSeenAt: row.date(7),
            pushToken: token.map { PushTokenRequest(service: row.string(8), token: $0) })
    }

    public func progress(appID: String) async throws -> [(deviceID: String, progress: SegmentProgress)] {
        try await read { connection in
            try connection.query(
                """
                SELECT device_id, segment, version, items_ready, items_failed, items_total, is_active, date
                FROM progress WHERE app_id = ? ORDER BY date DESC LIMIT ?
                """, appID, Self.progressCountMax
            ) { row in
                (
                    row.string(0),
                    SegmentProgress(
                        segment: row.string(1), version: row.int(2), itemsReady: row.int(3), itemsFailed: row.int(4),
                        itemsTotal: row.int(5), isActive: row.bool(6), date: row.date(7))
                )
            }
        }
    }
}
