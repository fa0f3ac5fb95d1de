import Cryptography
import HTTPModel
import SQLiteDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reading entries from the index.
enum EntryReading {
    /// Between the holders of an entry, in the one text that the query gives; not part of any holder's name.
    private static let separator: Character = "\u{1F}"

    private static let columns = """
        SELECT id, url, status, fields, request_time, response_time, is_invalidated, digest, byte_count, last_used,
            is_visible, CASE WHEN is_pinned THEN
                (SELECT group_concat(holder, char(31)) FROM holds WHERE entry_id = entries.id) END, is_inline
        """
    private static let select = columns + " FROM entries"

    /// With the bodies that the index holds, so that a hit reads the index once.
    private static let byURLWithBodies =
        columns + """
            , CASE WHEN is_inline THEN (SELECT bytes FROM bodies WHERE entry_id = entries.id) END
            FROM entries WHERE url_hash = ? AND is_visible = 1 AND url = ?
            """
    private static let byURL = select + " WHERE url_hash = ? AND is_visible = 1 AND url = ?"
    private static let byAnyURL = select + " WHERE url_hash = ? AND url = ?"
    private static let byID = select + " WHERE id = ?"
    private static let byDigest = select + " WHERE digest = ? AND is_inline = 0"
    private static let byHolder =
        select + " WHERE id IN (SELECT entry_id FROM holds WHERE holder = ?) ORDER BY id"
    private static let afterID = select + " WHERE id > ? ORDER BY id LIMIT ?"

    /// The visible entries of a URL, each with its body where the index holds it.
    static func ready(_ url: HTTPURL, key: Int64, _ connection: SQLiteConnection) throws -> [(StoreEntry, Data?)] {
        try connection.query(byURLWithBodies, key, url.string) { row in
            entry(row, url: url).map { ($0, row.isNull(13) ? nil : row.data(13)) }
        }.compactMap { $0 }
    }

    /// The visible entries of a URL.
    static func visible(_ url: HTTPURL, key: Int64, _ connection: SQLiteConnection) throws -> [StoreEntry] {
        try connection.query(byURL, key, url.string) { entry($0, url: url) }.compactMap { $0 }
    }

    /// The entries of a URL, staged ones too.
    static func all(_ url: HTTPURL, key: Int64, _ connection: SQLiteConnection) throws -> [StoreEntry] {
        try connection.query(byAnyURL, key, url.string) { entry($0, url: url) }.compactMap { $0 }
    }

    /// The bytes of a body that the index holds; `nil` when it does not.
    static func bytes(ofEntry id: Int64, _ connection: SQLiteConnection) throws -> Data? {
        try connection.first("SELECT bytes FROM bodies WHERE entry_id = ?", id) { $0.data(0) }
    }

    static func one(_ id: Int64, _ connection: SQLiteConnection) throws -> StoreEntry? {
        try connection.first(byID, id) { entry($0) } ?? nil
    }

    static func sharing(_ digest: SHA256Digest, _ connection: SQLiteConnection) throws -> [StoreEntry] {
        try connection.query(byDigest, digest.hex) { entry($0) }.compactMap { $0 }
    }

    static func heldBy(_ holder: String, _ connection: SQLiteConnection) throws -> [StoreEntry] {
        try connection.query(byHolder, holder) { entry($0) }.compactMap { $0 }
    }

    static func page(after id: Int64, limit: Int, _ connection: SQLiteConnection) throws -> [StoreEntry] {
        try connection.query(afterID, id, limit) { entry($0) }.compactMap { $0 }
    }

    static func holders(_ connection: SQLiteConnection) throws -> Set<String> {
        Set(try connection.query("SELECT DISTINCT holder FROM holds") { $0.string(0) })
    }

    static func usage(_ connection: SQLiteConnection) throws -> StoreUsage {
        let sql = "SELECT entry_count, pinned_byte_count, opportunistic_byte_count, body_file_count FROM totals"
        return try connection.first(sql) { row in
            var usage = StoreUsage()
            usage.entryCount = row.int(0)
            usage.pinnedByteCount = row.int64(1)
            usage.opportunisticByteCount = row.int64(2)
            usage.bodyFileCount = row.int(3)
            return usage
        } ?? StoreUsage()
    }

    /// The ids of rows that cannot be read, which only a damaged index has.
    static func unreadable(_ connection: SQLiteConnection) throws -> [Int64] {
        var ids: [Int64] = []
        try connection.forEach(select) { row in
            if entry(row) == nil { ids.append(row.int64(0)) }
            return true
        }
        return ids
    }

    /// One entry; `nil` for a row that no program of this format wrote, which a check of the store reports.
    private static func entry(_ row: borrowing SQLiteRow, url: HTTPURL? = nil) -> StoreEntry? {
        guard let url = url ?? HTTPURL(row.string(1)), let fields = FieldCoding.decode(row.data(3)),
            let digest = SHA256Digest(hex: row.string(7))
        else { return nil }
        let holders = row.isNull(11) ? [] : row.string(11).split(separator: separator).map(String.init)
        return StoreEntry(
            id: row.int64(0), url: url, requestFields: fields.request,
            response: HTTPResponse(status: row.int(2), fields: fields.response),
            requestTime: Date(timeIntervalSince1970: row.double(4)),
            responseTime: Date(timeIntervalSince1970: row.double(5)), isInvalidated: row.bool(6),
            holders: Set(holders), bodyDigest: digest, bodyByteCount: row.int64(8),
            lastUsed: Date(timeIntervalSince1970: row.double(9)), isStaged: row.isNull(10), isInline: row.bool(12))
    }
}
