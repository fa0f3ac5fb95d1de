import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Items in a database that survives a power loss. Several processes may share one: batches are idempotent.
final class SQLiteTelemetryStorage: TelemetryStorage {
    private static let migrations = [
        SQLiteMigration(
            version: 1,
            sql: """
                CREATE TABLE item (
                    id INTEGER PRIMARY KEY,
                    batch TEXT REFERENCES batch (id),
                    byteCount INTEGER NOT NULL,
                    payload BLOB NOT NULL
                ) STRICT;
                CREATE INDEX itemOrder ON item (batch, id, byteCount);
                CREATE TABLE batch (
                    id TEXT PRIMARY KEY,
                    createdAt REAL NOT NULL,
                    losses TEXT NOT NULL
                ) STRICT;
                CREATE TABLE loss (
                    reason TEXT PRIMARY KEY,
                    itemCount INTEGER NOT NULL
                ) STRICT;
                """),
        SQLiteMigration(
            version: 2,
            sql: """
                CREATE TABLE event (
                    id TEXT PRIMARY KEY,
                    name TEXT NOT NULL,
                    startedAt REAL NOT NULL,
                    durationMicroseconds INTEGER,
                    traffic TEXT NOT NULL
                ) STRICT;
                """),
    ]

    let database: SQLiteDatabase
    private let limits: TelemetryLimits
    /// Held by the one storage that keeps timed events in this directory.
    let eventLock: ProcessLock

    /// Opens the queue of a directory, made when missing. A database that cannot be read is set aside as
    /// `telemetry.sqlite.broken` (one at most is kept) and counted as a loss.
    init(directory: String, limits: TelemetryLimits) throws {
        self.limits = limits
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let path = directory + "/telemetry.sqlite"
        eventLock = ProcessLock(path: directory + "/events.lock")
        do {
            database = try Self.open(path)
        } catch  where Self.isBroken(error) {
            try Self.setAside(path)
            database = try Self.open(path)
            try database.write { try Self.add([LossReason.queueBroken: 1], to: $0) }
        }
    }

    private static func isBroken(_ error: any Error) -> Bool {
        guard let error = error as? SQLiteError else { return error is BrokenQueue }
        return error.kind == .corrupt || error.kind == .newerSchema
    }

    private static func open(_ path: String) throws -> SQLiteDatabase {
        var options = SQLiteDatabase.Options()
        options.synchronous = .full
        options.readerCountMax = 1
        let database = try SQLiteDatabase(path: path, options: options, migrations: migrations)
        let problems = try database.read { try $0.integrityProblems() }
        guard problems.isEmpty else { throw BrokenQueue() }
        return database
    }

    private struct BrokenQueue: Error {}

    private static func setAside(_ path: String) throws {
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            let target = path + ".broken" + suffix
            if FileManager.default.fileExists(atPath: target) { try FileManager.default.removeItem(atPath: target) }
            try FileManager.default.moveItem(atPath: path + suffix, toPath: target)
        }
    }

    func count() throws -> Int {
        try database.read { try $0.first("SELECT count(*) FROM item") { $0.int(0) } ?? 0 }
    }

    func append(_ items: [EncodedItem], losses: [String: Int], events: [String: StoredEvent?]) throws {
        try database.write { connection in
            if eventLock.isHeld { try Self.keep(events, connection) }
            for item in items {
                try connection.run(
                    "INSERT INTO item (byteCount, payload) VALUES (?, ?)", item.payload.count, item.payload)
            }
            try Self.add(losses, to: connection)
            try trim(connection)
        }
    }

    /// Drops the oldest items that no batch holds until the bounds are kept.
    private func trim(_ connection: SQLiteConnection) throws {
        let totals = try connection.first("SELECT count(*), total(byteCount) FROM item") { ($0.int(0), $0.int64(1)) }
        var (count, byteCount) = totals ?? (0, 0)
        guard count > limits.itemCountMax || byteCount > limits.byteCountMax else { return }
        var last: Int64?
        try connection.forEach("SELECT id, byteCount FROM item WHERE batch IS NULL ORDER BY id") { row in
            guard count > limits.itemCountMax || byteCount > limits.byteCountMax else { return false }
            last = row.int64(0)
            count -= 1
            byteCount -= row.int64(1)
            return true
        }
        guard let last else { return }
        let dropped = try connection.run("DELETE FROM item WHERE batch IS NULL AND id <= ?", last)
        try Self.add([LossReason.queueFull: dropped], to: connection)
    }

    func nextBatch(now: Date, makeID: () -> String) throws -> StoredBatch? {
        let id = makeID()
        return try database.write { connection in
            if let waiting = try waitingBatch(connection) { return waiting }
            return try cutBatch(connection, id: id, now: now)
        }
    }

    private func waitingBatch(_ connection: SQLiteConnection) throws -> StoredBatch? {
        let batch = try connection.first("SELECT id, createdAt, losses FROM batch LIMIT 1") { row in
            StoredBatch(
                id: row.string(0), createdAt: Date(timeIntervalSince1970: row.double(1)), items: [],
                losses: Self.losses(row.string(2)))
        }
        guard var batch else { return nil }
        let (items, unreadable) = try items(of: batch.id, connection)
        // What went bad after the batch was cut is told with the next one: this one must stay as it may have been sent.
        try Self.add([LossReason.unreadable: unreadable], to: connection)
        guard !items.isEmpty else {
            try Self.add(batch.losses, to: connection)
            try connection.run("DELETE FROM batch WHERE id = ?", batch.id)
            return nil
        }
        batch.items = items
        return batch
    }

    private func cutBatch(_ connection: SQLiteConnection, id: String, now: Date) throws -> StoredBatch? {
        while true {
            guard let last = try lastOfNextBatch(connection) else { return nil }
            try connection.run(
                "INSERT INTO batch (id, createdAt, losses) VALUES (?, ?, '{}')", id, now.timeIntervalSince1970)
            try connection.run("UPDATE item SET batch = ? WHERE batch IS NULL AND id <= ?", id, last)
            let (items, unreadable) = try items(of: id, connection)
            try Self.add([LossReason.unreadable: unreadable], to: connection)
            guard !items.isEmpty else {
                try connection.run("DELETE FROM batch WHERE id = ?", id)
                continue
            }
            let losses = try takeLosses(connection)
            let text = String(decoding: try WireCoding.encode(losses), as: UTF8.self)
            try connection.run("UPDATE batch SET losses = ? WHERE id = ?", text, id)
            return StoredBatch(id: id, createdAt: now, items: items, losses: losses)
        }
    }

    /// The id of the last item that fits the next batch; `nil` when no item waits.
    private func lastOfNextBatch(_ connection: SQLiteConnection) throws -> Int64? {
        var last: Int64?
        var byteCount: Int64 = 0
        try connection.forEach(
            "SELECT id, byteCount FROM item WHERE batch IS NULL ORDER BY id LIMIT ?", values: [limits.batchItemCountMax]
        ) { row in
            byteCount += row.int64(1)
            guard last == nil || byteCount <= limits.batchByteCountMax else { return false }
            last = row.int64(0)
            return true
        }
        return last
    }

    /// The readable items of a batch; the others are removed.
    private func items(of batch: String, _ connection: SQLiteConnection) throws -> ([TelemetryItem], unreadable: Int) {
        var unreadable: [Int64] = []
        let items = try connection.query("SELECT id, payload FROM item WHERE batch = ? ORDER BY id", batch) { row in
            let item = EncodedItem(payload: row.data(1)).decoded()
            if item == nil { unreadable.append(row.int64(0)) }
            return item
        }
        for id in unreadable { try connection.run("DELETE FROM item WHERE id = ?", id) }
        return (items.compactMap { $0 }, unreadable.count)
    }

    func acknowledge(_ id: String) throws {
        try database.write { _ = try Self.remove(id, $0) }
    }

    func reject(_ id: String) throws {
        try database.write { connection in
            let losses = try connection.first("SELECT losses FROM batch WHERE id = ?", id) { Self.losses($0.string(0)) }
            guard let losses else { return }
            let count = try Self.remove(id, connection)
            try Self.add(losses, to: connection)
            try Self.add([LossReason.rejected: count], to: connection)
        }
    }

    /// - Returns: how many items it held.
    private static func remove(_ id: String, _ connection: SQLiteConnection) throws -> Int {
        let count = try connection.run("DELETE FROM item WHERE batch = ?", id)
        try connection.run("DELETE FROM batch WHERE id = ?", id)
        return count
    }

    private static func add(_ losses: [String: Int], to connection: SQLiteConnection) throws {
        for (reason, count) in losses where count > 0 {
            try connection.run(
                """
                INSERT INTO loss (reason, itemCount) VALUES (?, ?)
                ON CONFLICT (reason) DO UPDATE SET itemCount = itemCount + excluded.itemCount
                """, reason, count)
        }
    }

    /// The losses as text says; what cannot be read counts as one unreadable item.
    private static func losses(_ text: String) -> [String: Int] {
        do {
            return try WireCoding.decode([String: Int].self, from: Data(text.utf8))
        } catch {
            return [LossReason.unreadable: 1]
        }
    }

    private func takeLosses(_ connection: SQLiteConnection) throws -> [String: Int] {
        let rows = try connection.query("SELECT reason, itemCount FROM loss") { ($0.string(0), $0.int(1)) }
        try connection.run("DELETE FROM loss")
        return Dictionary(rows, uniquingKeysWith: +)
    }
}
