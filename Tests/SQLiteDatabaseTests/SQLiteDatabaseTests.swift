import Foundation
import Primitives
import SQLiteDatabase
import TestSupport
import Testing

@Suite struct SQLiteDatabaseTests {
    let directory: TemporaryDirectory
    let database: SQLiteDatabase

    init() throws {
        directory = try TemporaryDirectory()
        database = try SQLiteDatabase(
            path: directory.path("test.sqlite"),
            migrations: [SQLiteMigration(version: 1, sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, v UNIQUE)")])
    }

    private func count(_ database: SQLiteDatabase) throws -> Int {
        try database.read { try $0.first("SELECT count(*) FROM t") { $0.int(0) } ?? -1 }
    }

    @Test("values come back as they went in")
    func valuesRoundTrip() throws {
        let text = "a\u{0}b é 🫙"
        let bytes = Data([0, 1, 255])
        try database.write { connection in
            try connection.run(
                "INSERT INTO t VALUES (1, ?), (2, ?), (3, ?), (4, ?), (5, ?), (6, ?), (7, ?)",
                Int64.min, 1.5, text, bytes, nil, "", Data())
        }
        let rows = try database.read { connection in
            try connection.query("SELECT v, typeof(v) FROM t ORDER BY id") { row in
                (row.int64(0), row.double(0), row.string(0), row.data(0), row.string(1))
            }
        }
        #expect(rows.map(\.4) == ["integer", "real", "text", "blob", "null", "text", "blob"])
        #expect(rows[0].0 == Int64.min)
        #expect(rows[1].1 == 1.5)
        #expect(rows[2].2 == text)
        #expect(rows[3].3 == bytes)
    }

    @Test("reading a column that is not there, or is of another type, gives a neutral value")
    func accessorsNeverTrap() throws {
        try database.read { connection in
            try connection.forEach("SELECT 'x', NULL, x'C3'") { row in
                #expect(row.columnCount == 3)
                #expect(row.int64(0) == 0 && row.double(0) == 0 && !row.bool(0))
                #expect(row.isNull(1) && row.optionalString(1) == nil && row.optionalInt64(1) == nil)
                #expect(row.string(1) == "" && row.data(1) == Data())
                #expect(row.string(2) == "\u{FFFD}")
                #expect(row.isNull(3) && row.string(-1) == "" && row.optionalData(99) == nil && row.int(7) == 0)
                return true
            }
        }
    }

    @Test("a write that throws leaves nothing behind")
    func rollsBack() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try database.write { connection in
                try connection.run("INSERT INTO t (v) VALUES (1)")
                throw Stop()
            }
        }
        #expect(try count(database) == 0)
        try database.write { try $0.run("INSERT INTO t (v) VALUES (2)") }
        #expect(try count(database) == 1)
    }

    @Test("run tells how many rows it changed and the id of the last one")
    func countsChanges() throws {
        let counts = try database.write { connection in
            [
                try connection.run("INSERT INTO t (v) VALUES (1), (2), (3)"), Int(connection.lastInsertedRowID),
                try connection.run("UPDATE t SET v = v + 10 WHERE v > 1"), try connection.run("SELECT * FROM t"),
            ]
        }
        #expect(counts == [3, 3, 2, 0])
    }

    @Test("a constraint is told by kind, without the value")
    func constraintError() throws {
        try database.write { try $0.run("INSERT INTO t (v) VALUES (?)", "secret") }
        let error = try #require(throws: SQLiteError.self) {
            try database.write { try $0.run("INSERT INTO t (v) VALUES (?)", "secret") }
        }
        #expect(error.kind == .constraint)
        #expect(error.description.contains("t.v"))
        #expect(!error.description.contains("secret"))
    }

    @Test("wrong use is an error, not a trap")
    func misuse() throws {
        func kind(_ body: () throws -> Void) -> SQLiteError.Kind? {
            do { try body() } catch { return (error as? SQLiteError)?.kind }
            return nil
        }
        #expect(kind { try database.write { _ = try $0.run("INSERT INTO t (v) VALUES (?)") } } == .misuse)
        #expect(kind { try database.write { _ = try $0.run("INSERT INTO t (v) VALUES (?)", 1, 2) } } == .misuse)
        #expect(kind { try database.write { _ = try $0.run("") } } == .misuse)
        #expect(kind { try database.write { _ in try database.write { _ in } } } == .misuse)
        #expect(kind { try database.write { _ = try $0.run("nonsense") } } == .other)
        #expect(kind { try database.read { _ = try $0.run("DELETE FROM t") } } == .cannotOpen)
        #expect(try count(database) == 0)
    }

    @Test("the same statement may run within its own rows, and more statements than are kept may be used")
    func statementCache() throws {
        try database.write { try $0.run("INSERT INTO t (v) VALUES (1), (2), (3)") }
        let sql = "SELECT v FROM t ORDER BY v"
        let pairs = try database.read { connection in
            try connection.query(sql) { outer in
                let first = outer.int(0)
                return try connection.query(sql) { first * 10 + $0.int(0) }
            }
        }
        #expect(pairs == [[11, 12, 13], [21, 22, 23], [31, 32, 33]])
        let sums = try database.read { connection in
            try (0..<200).map { number in try connection.first("SELECT \(number)") { $0.int(0) } ?? -1 }
        }
        #expect(sums == Array(0..<200))
    }

    @Test("a snapshot does not see what is committed meanwhile; the next read does")
    func snapshots() throws {
        let counts = try database.readSnapshot { connection in
            let count = { try connection.first("SELECT count(*) FROM t") { $0.int(0) } ?? -1 }
            let before = try count()
            try database.write { try $0.run("INSERT INTO t (v) VALUES (1)") }
            return [before, try count()]
        }
        #expect(counts == [0, 0])
        #expect(try count(database) == 1)
    }

    @Test("threads share one writer and a few readers without losing a commit")
    func manyThreads() async throws {
        let database = database
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for step in 0..<25 {
                        try database.write { try $0.run("INSERT INTO t (v) VALUES (?)", worker * 1_000 + step) }
                        _ = try database.read { try $0.first("SELECT max(v) FROM t") { $0.int(0) } }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try count(database) == 200)
    }

    @Test("a lock held by another connection is busy after the timeout, and free afterwards")
    func busy() throws {
        var options = SQLiteDatabase.Options()
        options.busyTimeout = .zero
        let hasty = try SQLiteDatabase(path: database.path, options: options)
        let error = #expect(throws: SQLiteError.self) {
            try database.write { _ in
                try hasty.write { try $0.run("INSERT INTO t (v) VALUES (1)") }
            }
        }
        #expect(error?.kind == .busy)
        try hasty.write { try $0.run("INSERT INTO t (v) VALUES (1)") }
        #expect(try count(database) == 1)
    }

    @Test("checkpointing empties the log, and a sound file has no problems")
    func checkpoint() throws {
        try database.write { try $0.run("INSERT INTO t (v) VALUES (1)") }
        try database.withWriter { try $0.checkpoint() }
        let log = try FileManager.default.attributesOfItem(atPath: database.path + "-wal")
        #expect(log[.size] as? Int == 0)
        #expect(try database.read { try $0.integrityProblems() } == [])
    }

    @Test("letting go of a database closes its file")
    func closes() throws {
        let path = directory.path("closed.sqlite")
        var other: SQLiteDatabase? = try SQLiteDatabase(
            path: path, migrations: [SQLiteMigration(version: 1, sql: "CREATE TABLE t (v)")])
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        _ = try other?.read { try $0.first("SELECT 1") { $0.int(0) } }
        other = nil
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}
