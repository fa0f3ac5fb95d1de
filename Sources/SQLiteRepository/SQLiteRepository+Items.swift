public import ControlModel
import Cryptography
import SQLiteDatabase

extension SQLiteRepository {
    private static let columns = """
        app_id, segment, url, state, byte_count, sha256, etag, last_modified, content_type, content_encoding, priority,
        is_essential, findings, checked_at
        """

    public func items(appID: String, segment: String) async throws -> [SegmentItem] {
        try await read { connection in
            try connection.query(
                "SELECT \(Self.columns) FROM items WHERE app_id = ? AND segment = ? ORDER BY priority, url",
                appID, segment
            ) { try Self.item($0) }
        }
    }

    public func save(_ items: [SegmentItem]) async throws {
        try await write { connection in
            for item in items { try Self.store(item, connection) }
        }
    }

    public func replaceItems(appID: String, segment: String, with items: [SegmentItem]) async throws {
        try await write { connection in
            try connection.run("DELETE FROM items WHERE app_id = ? AND segment = ?", appID, segment)
            for item in items { try Self.store(item, connection) }
        }
    }

    public func removeItem(appID: String, segment: String, url: String) async throws {
        try await write { connection in
            try connection.run("DELETE FROM items WHERE app_id = ? AND segment = ? AND url = ?", appID, segment, url)
        }
    }

    private static func store(_ item: SegmentItem, _ connection: SQLiteConnection) throws {
        try connection.run(
            "INSERT OR REPLACE INTO items (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            item.appID, item.segment, item.url, item.state.rawValue, item.byteCount, item.sha256?.hex, item.eTag,
            item.lastModified, item.contentType, item.contentEncoding, item.priority, item.isEssential,
            item.findings.json(), item.checkedAt?.milliseconds)
    }

    private static func item(_ row: borrowing SQLiteRow) throws -> SegmentItem {
        var item = SegmentItem(
            appID: row.string(0), segment: row.string(1), url: row.string(2), priority: row.int(10),
            isEssential: row.bool(11))
        item.state = try row.choice(SegmentItem.State.self, 3)
        item.byteCount = row.int64(4)
        item.sha256 = try row.optionalDigest(5)
        item.eTag = row.optionalString(6)
        item.lastModified = row.optionalString(7)
        item.contentType = row.optionalString(8)
        item.contentEncoding = row.optionalString(9)
        // Most items have none, and a JSON decoder for each of thousands of rows is slow.
        if row.string(12) != "[]" { item.findings = try row.json([String].self, 12) }
        item.checkedAt = row.optionalDate(13)
        return item
    }
}
