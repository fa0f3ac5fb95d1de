import SQLiteDatabase

/// The index's tables; `docs/formats/content-store.md` describes them.
enum StoreSchema {
    // `is_visible` is 1 or NULL: NULLs are distinct in a unique key, so that any number of staged entries may wait
    // beside the one that is visible. Ids are never used again, as listeners and batched uses hold on to them.
    static let migrations = [
        SQLiteMigration(
            version: 1,
            sql: """
                CREATE TABLE entries (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    url TEXT NOT NULL,
                    variant TEXT NOT NULL,
                    is_visible INTEGER CHECK (is_visible = 1),
                    is_pinned INTEGER NOT NULL,
                    is_invalidated INTEGER NOT NULL DEFAULT 0,
                    status INTEGER NOT NULL,
                    fields BLOB NOT NULL,
                    request_time REAL NOT NULL,
                    response_time REAL NOT NULL,
                    last_used REAL NOT NULL,
                    digest TEXT NOT NULL,
                    byte_count INTEGER NOT NULL,
                    UNIQUE (url, variant, is_visible)
                ) STRICT;
                CREATE INDEX entries_by_digest ON entries (digest, is_pinned);
                CREATE INDEX entries_by_use ON entries (last_used) WHERE is_pinned = 0;
                CREATE TABLE holds (
                    entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
                    holder TEXT NOT NULL,
                    PRIMARY KEY (entry_id, holder)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX holds_by_holder ON holds (holder, entry_id);
                CREATE TABLE totals (
                    id INTEGER PRIMARY KEY CHECK (id = 1),
                    pinned_byte_count INTEGER NOT NULL,
                    opportunistic_byte_count INTEGER NOT NULL,
                    opportunistic_entry_count INTEGER NOT NULL
                ) STRICT;
                INSERT INTO totals VALUES (1, 0, 0, 0);
                CREATE TRIGGER entries_counted_in AFTER INSERT ON entries WHEN NEW.is_pinned = 0 BEGIN
                    UPDATE totals SET opportunistic_entry_count = opportunistic_entry_count + 1;
                END;
                CREATE TRIGGER entries_counted_out AFTER DELETE ON entries WHEN OLD.is_pinned = 0 BEGIN
                    UPDATE totals SET opportunistic_entry_count = opportunistic_entry_count - 1;
                END;
                CREATE TRIGGER entries_counted_over AFTER UPDATE OF is_pinned ON entries
                WHEN NEW.is_pinned <> OLD.is_pinned BEGIN
                    UPDATE totals SET opportunistic_entry_count =
                        opportunistic_entry_count + OLD.is_pinned - NEW.is_pinned;
                END;
                """),
        SQLiteMigration(version: 2) { connection in
            try connection.execute(bodiesInTheIndex)
            try fillURLHashes(connection)
            try connection.run("UPDATE totals SET (\(totalColumns)) = (\(computedTotals))")
        },
    ]

    /// Small bodies come into the index, URLs are found by a hash, entries are counted by their own bytes, and files without
    /// an entry are known by name.
    private static let bodiesInTheIndex = """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            hash_key BLOB NOT NULL
        ) STRICT;
        INSERT INTO store VALUES (1, randomblob(16));
        DROP TRIGGER entries_counted_in;
        DROP TRIGGER entries_counted_out;
        DROP TRIGGER entries_counted_over;
        DROP INDEX entries_by_digest;
        DROP INDEX entries_by_use;
        DROP INDEX holds_by_holder;
        ALTER TABLE entries RENAME TO old_entries;
        ALTER TABLE holds RENAME TO old_holds;
        CREATE TABLE entries (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            url_hash INTEGER NOT NULL,
            is_visible INTEGER CHECK (is_visible = 1),
            is_pinned INTEGER NOT NULL,
            is_invalidated INTEGER NOT NULL DEFAULT 0,
            is_inline INTEGER NOT NULL,
            status INTEGER NOT NULL,
            request_time REAL NOT NULL,
            response_time REAL NOT NULL,
            last_used REAL NOT NULL,
            byte_count INTEGER NOT NULL,
            url TEXT NOT NULL,
            variant TEXT NOT NULL,
            digest TEXT NOT NULL,
            fields BLOB NOT NULL
        ) STRICT;
        INSERT INTO entries (id, url_hash, is_visible, is_pinned, is_invalidated, is_inline, status, request_time,
            response_time, last_used, byte_count, url, variant, digest, fields)
        SELECT id, 0, is_visible, is_pinned, is_invalidated, 0, status, request_time, response_time, last_used, byte_count,
            url, variant, digest, fields FROM old_entries;
        CREATE TABLE holds (
            entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
            holder TEXT NOT NULL,
            PRIMARY KEY (entry_id, holder)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO holds SELECT entry_id, holder FROM old_holds;
        DROP TABLE old_holds;
        DROP TABLE old_entries;
        CREATE INDEX holds_by_holder ON holds (holder, entry_id);
        CREATE INDEX entries_by_url ON entries (url_hash);
        CREATE INDEX entries_by_digest ON entries (digest, is_pinned) WHERE is_inline = 0;
        CREATE INDEX entries_by_use ON entries (last_used) WHERE is_pinned = 0;
        CREATE TABLE bodies (
            entry_id INTEGER PRIMARY KEY REFERENCES entries (id) ON DELETE CASCADE,
            bytes BLOB NOT NULL
        ) STRICT;
        CREATE TABLE loose_files (
            digest TEXT PRIMARY KEY
        ) STRICT, WITHOUT ROWID;
        DROP TABLE totals;
        CREATE TABLE totals (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            pinned_byte_count INTEGER NOT NULL,
            opportunistic_byte_count INTEGER NOT NULL,
            body_file_count INTEGER NOT NULL,
            entry_count INTEGER NOT NULL,
            opportunistic_own_byte_count INTEGER NOT NULL
        ) STRICT;
        INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0);
        CREATE TRIGGER entries_counted_in AFTER INSERT ON entries BEGIN
            UPDATE totals SET entry_count = entry_count + 1,
                opportunistic_own_byte_count = opportunistic_own_byte_count +
                    CASE WHEN NEW.is_pinned THEN 0 ELSE \(ownByteCount(of: "NEW")) END;
        END;
        CREATE TRIGGER entries_counted_out AFTER DELETE ON entries BEGIN
            UPDATE totals SET entry_count = entry_count - 1,
                opportunistic_own_byte_count = opportunistic_own_byte_count -
                    CASE WHEN OLD.is_pinned THEN 0 ELSE \(ownByteCount(of: "OLD")) END;
        END;
        CREATE TRIGGER entries_counted_over AFTER UPDATE OF is_pinned, fields ON entries BEGIN
            UPDATE totals SET opportunistic_own_byte_count = opportunistic_own_byte_count
                - CASE WHEN OLD.is_pinned THEN 0 ELSE \(ownByteCount(of: "OLD")) END
                + CASE WHEN NEW.is_pinned THEN 0 ELSE \(ownByteCount(of: "NEW")) END;
        END;
        """

    /// What an entry takes beside its body: its fields, its URL, and what rows and their indexes need.
    private static func ownByteCount(of row: String) -> String {
        "(256 + length(\(row).url) + length(\(row).fields))"
    }

    private static func fillURLHashes(_ connection: SQLiteConnection) throws {
        guard let hasher = try URLHasher(connection) else { return }
        var lastID: Int64 = 0
        while true {
            let page = try connection.query("SELECT id, url FROM entries WHERE id > ? ORDER BY id LIMIT 500", lastID) {
                (id: $0.int64(0), url: $0.string(1))
            }
            guard let last = page.last else { return }
            lastID = last.id
            for row in page {
                try connection.run("UPDATE entries SET url_hash = ? WHERE id = ?", hasher.key(of: row.url), row.id)
            }
        }
    }

    static let totalColumns = """
        pinned_byte_count, opportunistic_byte_count, body_file_count, entry_count, opportunistic_own_byte_count
        """

    /// What the totals must be, from the entries: a file counts once, as pinned when any of its entries is.
    static let computedTotals = """
        SELECT coalesce(sum(CASE WHEN pinned THEN bytes END), 0), coalesce(sum(CASE WHEN NOT pinned THEN bytes END), 0),
            coalesce(sum(is_file), 0), (SELECT count(*) FROM entries),
            (SELECT coalesce(sum\(ownByteCount(of: "entries")), 0) FROM entries WHERE is_pinned = 0)
        FROM (
            SELECT max(is_pinned) AS pinned, max(byte_count) AS bytes, 1 AS is_file FROM entries WHERE is_inline = 0
                GROUP BY digest
            UNION ALL SELECT is_pinned, byte_count, 0 FROM entries WHERE is_inline = 1
        )
        """
}
