import CSQLite

/// One step of a schema's history. What has been released is never edited; changes are new steps.
public struct SQLiteMigration: Sendable {
    /// From 1, without gaps.
    public let version: Int
    private let apply: @Sendable (SQLiteConnection) throws -> Void

    /// Creates a step from a script of statements.
    public init(version: Int, sql: String) {
        self.init(version: version) { try $0.execute(sql) }
    }

    /// Creates a step from code.
    public init(version: Int, apply: @escaping @Sendable (SQLiteConnection) throws -> Void) {
        self.version = version
        self.apply = apply
    }

    /// Brings a file up to date: each missing step in a transaction of its own, recorded in `PRAGMA user_version`.
    ///
    /// Without any, the schema is left as it is found.
    static func apply(_ migrations: [SQLiteMigration], to connection: SQLiteConnection) throws {
        for (offset, migration) in migrations.enumerated() where migration.version != offset + 1 {
            throw SQLiteError(code: SQLITE_MISUSE, message: "migrations must be numbered 1, 2, 3 …")
        }
        if try migrations.isEmpty || version(of: connection) == migrations.count { return }
        for migration in migrations {
            try connection.transaction {
                // Read under the lock: another process may have made the step meanwhile.
                guard try version(of: connection) < migration.version else { return }
                try migration.apply(connection)
                try connection.execute("PRAGMA user_version = \(migration.version)")
            }
        }
        let found = try version(of: connection)
        guard found <= migrations.count else {
            throw SQLiteError(
                code: SQLITE_SCHEMA, kind: .newerSchema,
                message: "the database has schema version \(found), this program knows \(migrations.count) at most; "
                    + "use the newer program")
        }
    }

    private static func version(of connection: SQLiteConnection) throws -> Int {
        try connection.first("PRAGMA user_version") { $0.int(0) } ?? 0
    }
}
