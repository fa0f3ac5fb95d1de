import CSQLite

/// What SQLite, or the layer above it, refused.
public struct SQLiteError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What a caller may want to act on.
    public enum Kind: Sendable, Hashable {
        /// Another connection or process held the database longer than the busy timeout.
        case busy
        /// The file is not a database, or its pages contradict each other.
        case corrupt
        /// No space left on the device.
        case full
        /// A unique, foreign key, check or not-null constraint.
        case constraint
        /// Reading or writing the file failed.
        case inputOutput
        /// The file cannot be opened or may not be written.
        case cannotOpen
        /// The file was written by a newer version of the program.
        case newerSchema
        /// The program used the database wrongly, such as a write within a write.
        case misuse
        case other
    }

    /// The extended result code of SQLite (https://www.sqlite.org/rescode.html).
    public let code: Int32
    public let kind: Kind
    /// What failed. Holds names of tables and columns at most, never bound values.
    public let message: String

    init(code: Int32, kind: Kind? = nil, message: String) {
        self.code = code
        self.kind = kind ?? Kind(code: code)
        self.message = message
    }

    public var description: String { "SQLite \(code): \(message)" }
}

extension SQLiteError.Kind {
    fileprivate init(code: Int32) {
        // The low byte is the primary result code.
        self =
            switch code & 0xFF {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
            case SQLITE_FULL: .full
            case SQLITE_CONSTRAINT: .constraint
            case SQLITE_IOERR: .inputOutput
            case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .cannotOpen
            case SQLITE_MISUSE, SQLITE_RANGE: .misuse
            default: .other
            }
    }
}
