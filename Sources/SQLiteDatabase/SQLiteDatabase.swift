import CSQLite
import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A database file with a write-ahead log: one connection that writes, several that read beside it.
///
/// May be used from any thread, and by several processes at once. Every method performs disk I/O on the calling thread
/// and blocks while the connections of its kind are in use. Readers see the last commit and never wait for the writer.
/// The file is closed when the value is let go of.
public final class SQLiteDatabase: Sendable {
    /// How hard a commit is.
    public enum Synchronous: Sendable, Hashable {
        /// A commit survives the death of the process; a power loss may undo the last ones. For what can be had again.
        case normal
        /// A commit survives a power loss. For what exists nowhere else.
        case full
    }

    /// How a database is opened.
    public struct Options: Sendable, Hashable {
        public var synchronous = Synchronous.normal
        /// How long to wait for another process before ``SQLiteError/Kind/busy``.
        public var busyTimeout = Duration.seconds(5)
        /// Most bytes of the file to map into memory; 0 reads instead of mapping.
        public var mappedByteCountMax: Int64 = 0
        /// Most threads that read at once; others wait.
        public var readerCountMax = 4

        /// Creates the default options.
        public init() {}
    }

    public let path: String
    private let writer: ConnectionPool
    private let readers: ConnectionPool
    /// The thread that is writing, to tell a write within a write, which would wait for itself.
    private let writingThread = Locked<pthread_t?>(nil)

    /// Opens a file, made when missing, and brings its schema up to date.
    /// - Throws: ``SQLiteError``; of kind `newerSchema` when the file is newer than the migrations.
    public init(path: String, options: Options = Options(), migrations: [SQLiteMigration] = []) throws {
        self.path = path
        writer = ConnectionPool(count: 1) { () throws(SQLiteError) in
            try SQLiteConnection(path: path, options: options, isReader: false)
        }
        readers = ConnectionPool(count: options.readerCountMax) { () throws(SQLiteError) in
            try SQLiteConnection(path: path, options: options, isReader: true)
        }
        try writer.withConnection { try SQLiteMigration.apply(migrations, to: $0) }
    }

    /// Runs a closure with a connection that can only read. Each statement sees the last commit.
    ///
    /// Do not read within a read: with every reader waiting for another one, none would go on.
    public func read<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try readers.withConnection(body)
    }

    /// Runs a closure in a read transaction: all its statements see the same state.
    public func readSnapshot<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try readers.withConnection { connection in
            try connection.transaction(.deferred) { try body(connection) }
        }
    }

    /// Runs a closure in a write transaction: committed when it returns, undone when it throws.
    /// - Throws: what the closure throws; ``SQLiteError`` of kind `misuse` for a write within a write.
    @discardableResult
    public func write<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try withWriter { connection in
            try connection.transaction(.immediate) { try body(connection) }
        }
    }

    /// Runs a closure with the writing connection outside of a transaction: for pragmas, checkpoints and `VACUUM`.
    /// - Throws: what the closure throws; ``SQLiteError`` of kind `misuse` within a write.
    @discardableResult
    public func withWriter<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        let thread = pthread_self()
        guard writingThread.withLock({ $0.map { pthread_equal($0, thread) != 0 } != true }) else {
            throw SQLiteError(code: SQLITE_MISUSE, message: "a write was begun within a write")
        }
        return try writer.withConnection { connection in
            writingThread.withLock { $0 = thread }
            defer { writingThread.withLock { $0 = nil } }
            return try body(connection)
        }
    }
}
