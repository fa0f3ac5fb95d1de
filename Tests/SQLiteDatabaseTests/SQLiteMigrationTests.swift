import Foundation
import Primitives
import SQLiteDatabase
import TestSupport
import Testing

@Suite struct SQLiteMigrationTests {
    let directory: TemporaryDirectory
    var path: String { directory.path("test.sqlite") }
    let steps = [
        SQLiteMigration(version: 1, sql: "CREATE TABLE t (v); INSERT INTO t VALUES (1)"),
        SQLiteMigration(version: 2, sql: "UPDATE t SET v = v * 10 + 2"),
        SQLiteMigration(version: 3) { _ = try $0.run("UPDATE t SET v = v * 10 + 3") },
    ]

    init() throws { directory = try TemporaryDirectory() }

    private func value(_ database: SQLiteDatabase) throws -> Int? {
        try database.read { try $0.first("SELECT v FROM t") { $0.int(0) } }
    }

    @Test("steps are made in order, once")
    func inOrder() throws {
        #expect(try value(SQLiteDatabase(path: path, migrations: Array(steps.prefix(1)))) == 1)
        #expect(try value(SQLiteDatabase(path: path, migrations: steps)) == 123)
        #expect(try value(SQLiteDatabase(path: path, migrations: steps)) == 123)
    }

    @Test("a step that fails is undone, those before it stand")
    func failedStep() throws {
        let bad = SQLiteMigration(version: 2, sql: "UPDATE t SET v = 99; UPDATE missing SET v = 1")
        #expect(throws: SQLiteError.self) { try SQLiteDatabase(path: path, migrations: [steps[0], bad]) }
        #expect(try value(SQLiteDatabase(path: path, migrations: steps)) == 123)
    }

    @Test("a file of a newer program is refused and left as it is")
    func newer() throws {
        _ = try SQLiteDatabase(path: path, migrations: steps)
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteDatabase(path: path, migrations: Array(steps.prefix(2)))
        }
        #expect(error?.kind == .newerSchema)
        #expect(error?.message.contains("version 3") == true)
        #expect(try value(SQLiteDatabase(path: path, migrations: steps)) == 123)
    }

    @Test("steps with a gap are refused")
    func gap() throws {
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteDatabase(path: path, migrations: [steps[0], steps[2]])
        }
        #expect(error?.kind == .misuse)
    }

    @Test("programs that open a new file at once make each step once")
    func race() async throws {
        let path = path, steps = steps
        let values = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try SQLiteDatabase(path: path, migrations: steps).read { connection in
                        try connection.first("SELECT sum(v) FROM t") { $0.int(0) }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 123, count: 8))
    }

    @Test("a file that is no database is corrupt; a place that cannot be written cannot be opened")
    func unreadable() throws {
        try Data(repeating: 7, count: 8_192).write(to: URL(fileURLWithPath: path))
        #expect(throws: SQLiteError.self) { try SQLiteDatabase(path: path, migrations: steps) }
        do { _ = try SQLiteDatabase(path: path) } catch { #expect((error as? SQLiteError)?.kind == .corrupt) }
        do { _ = try SQLiteDatabase(path: directory.path("none/x")) } catch {
            #expect((error as? SQLiteError)?.kind == .cannotOpen)
        }
    }
}
