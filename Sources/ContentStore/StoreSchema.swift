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
                """)
    ]

    static let totalColumns = "pinned_byte_count, opportunistic_byte_count, opportunistic_entry_count"

    /// What the totals must be, from the entries: a body counts once, as pinned when any of its entries is.
    static let computedTotals = """
        SELECT coalesce(sum(CASE WHEN pinned THEN bytes END), 0), coalesce(sum(CASE WHEN NOT pinned THEN bytes END), 0),
            (SELECT count(*) FROM entries WHERE is_pinned = 0)
        FROM (SELECT max(is_pinned) AS pinned, max(byte_count) AS bytes FROM entries GROUP BY digest)
        """
}
