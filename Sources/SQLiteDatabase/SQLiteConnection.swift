import CSQLite

/// One connection to a database file: for one thread at a time, which ``SQLiteDatabase`` sees to.
///
/// Every method performs disk I/O on the calling thread. Statements are prepared once and kept (at most 64).
public final class SQLiteConnection {
    static let statementCountMax = 64

    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]

    /// Opens a file, made when missing unless it is for reading only.
    init(path: String, options: SQLiteDatabase.Options, isReader: Bool) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (isReader ? 0 : SQLITE_OPEN_CREATE)
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = SQLiteError(code: code, message: "cannot open \(path): \(Self.message(of: handle, code))")
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        let milliseconds = options.busyTimeout / .milliseconds(1)
        sqlite3_busy_timeout(handle, Int32(min(max(milliseconds, 0), Double(Int32.max))))
        try configure(options, isReader: isReader)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    private func configure(_ options: SQLiteDatabase.Options, isReader: Bool) throws(SQLiteError) {
        try useWriteAheadLog()
        try execute(
            """
            PRAGMA foreign_keys = ON;
            PRAGMA synchronous = \(options.synchronous == .full ? "FULL" : "NORMAL");
            PRAGMA mmap_size = \(max(options.mappedByteCountMax, 0));
            PRAGMA journal_size_limit = 4194304;
            PRAGMA query_only = \(isReader ? "ON" : "OFF");
            """)
    }

    /// The change to WAL wants the file for itself for a moment and does not always wait for it on its own.
    private func useWriteAheadLog() throws(SQLiteError) {
        var attemptsLeft = 100
        while true {
            do throws(SQLiteError) {
                if try scalarText("PRAGMA journal_mode") == "wal" { return }
                if try scalarText("PRAGMA journal_mode = WAL") == "wal" { return }
                throw SQLiteError(code: SQLITE_CANTOPEN, message: "the file system cannot carry a write-ahead log")
            } catch {
                attemptsLeft -= 1
                guard error.kind == .busy, attemptsLeft > 0 else { throw error }
                sqlite3_sleep(10)
            }
        }
    }

    /// The id of the row inserted last on this connection.
    public var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs a script of statements without values.
    public func execute(_ script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs one statement to its end.
    /// - Returns: how many rows it inserted, changed or deleted.
    @discardableResult
    public func run(_ sql: String, _ values: (any SQLiteBindable)?...) throws(SQLiteError) -> Int {
        try run(sql, values: values)
    }

    /// Runs one statement to its end.
    /// - Returns: how many rows it inserted, changed or deleted.
    @discardableResult
    public func run(_ sql: String, values: [(any SQLiteBindable)?]) throws(SQLiteError) -> Int {
        let statement = try take(sql)
        defer { giveBack(statement, sql) }
        try statement.bind(values)
        while try step(statement) {}
        return sqlite3_stmt_readonly(statement.pointer) != 0 ? 0 : Int(sqlite3_changes64(handle))
    }

    /// Every row of a query, each turned into a value.
    public func query<Value>(
        _ sql: String, _ values: (any SQLiteBindable)?..., row: (borrowing SQLiteRow) throws -> Value
    ) throws -> [Value] {
        try query(sql, values: values, row: row)
    }

    /// Every row of a query, each turned into a value.
    public func query<Value>(
        _ sql: String, values: [(any SQLiteBindable)?], row: (borrowing SQLiteRow) throws -> Value
    ) throws -> [Value] {
        var result: [Value] = []
        try forEach(sql, values: values) { current in
            result.append(try row(current))
            return true
        }
        return result
    }

    /// The first row of a query; `nil` when there is none.
    public func first<Value>(
        _ sql: String, _ values: (any SQLiteBindable)?..., row: (borrowing SQLiteRow) throws -> Value
    ) throws -> Value? {
        var result: Value?
        try forEach(sql, values: values) { current in
            result = try row(current)
            return false
        }
        return result
    }

    /// Hands the rows of a query over one by one, without holding them all.
    /// - Parameter row: returns whether to go on.
    public func forEach(
        _ sql: String, values: [(any SQLiteBindable)?] = [], row: (borrowing SQLiteRow) throws -> Bool
    ) throws {
        let statement = try take(sql)
        defer { giveBack(statement, sql) }
        try statement.bind(values)
        while try step(statement), try row(SQLiteRow(statement.pointer)) {}
    }

    /// How a transaction begins.
    public enum TransactionKind: String, Sendable {
        /// For reading: all statements see the same state.
        case deferred = "DEFERRED"
        /// For writing: waits for its turn at the start, so that it cannot fail half-way for want of the lock.
        case immediate = "IMMEDIATE"
    }

    /// Runs a closure in a transaction: committed when it returns, undone when it throws. Does not nest.
    public func transaction<Value>(_ kind: TransactionKind = .immediate, _ body: () throws -> Value) throws -> Value {
        try run("BEGIN \(kind.rawValue)")
        do {
            let value = try body()
            try run("COMMIT")
            return value
        } catch {
            // SQLite may have rolled back on its own, as it does when the disk is full.
            if sqlite3_get_autocommit(handle) == 0 {
                // The first error tells more than one of the rollback, which the next transaction would meet again.
                do { try run("ROLLBACK") } catch {}
            }
            throw error
        }
    }

    /// Checks the structure of the whole file; reads all of it.
    /// - Returns: one line for each fault.
    public func integrityProblems() throws -> [String] {
        do {
            return try query("PRAGMA quick_check") { $0.string(0) }.filter { $0 != "ok" }
        } catch let error as SQLiteError where error.kind == .corrupt {
            // Some faults end the check itself.
            return [error.message]
        }
    }

    /// Moves the write-ahead log into the database file, as far as readers allow, and cuts it to nothing.
    public func checkpoint() throws(SQLiteError) { try execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    // A statement leaves the cache while it runs: the same text used again within its rows gets one of its own.
    private func take(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = statements.removeValue(forKey: sql) { return statement }
        var pointer: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
        guard code == SQLITE_OK else { throw error(code) }
        guard let pointer else { throw SQLiteError(code: SQLITE_MISUSE, message: "the statement is empty") }
        return SQLiteStatement(pointer: pointer)
    }

    private func giveBack(_ statement: SQLiteStatement, _ sql: String) {
        statement.reset()
        if statements.count >= Self.statementCountMax, let victim = statements.keys.first {
            statements.removeValue(forKey: victim)
        }
        statements[sql] = statement
    }

    /// Whether there is a row.
    private func step(_ statement: SQLiteStatement) throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement.pointer) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        case let code: throw error(code)
        }
    }

    private func scalarText(_ sql: String) throws(SQLiteError) -> String {
        let statement = try take(sql)
        defer { giveBack(statement, sql) }
        return try step(statement) ? SQLiteRow(statement.pointer).string(0) : ""
    }

    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(code: sqlite3_extended_errcode(handle), message: Self.message(of: handle, code))
    }

    private static func message(of handle: OpaquePointer?, _ code: Int32) -> String {
        let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        return text.map { String(cString: $0) } ?? "error \(code)"
    }
}
