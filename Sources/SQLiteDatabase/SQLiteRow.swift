import CSQLite

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One row of a result, readable while the closure it was given to runs.
///
/// No accessor traps: a column that is not there reads as NULL, and a value of another type is converted by SQLite's
/// own rules (text that is no number reads as 0). Tables declared `STRICT` never need the conversion.
public struct SQLiteRow: ~Copyable {
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer) { self.statement = statement }

    /// Columns in the row.
    public var columnCount: Int { Int(sqlite3_data_count(statement)) }

    /// Whether a column is NULL or not there.
    public func isNull(_ column: Int) -> Bool {
        guard let index = index(column) else { return true }
        return sqlite3_column_type(statement, index) == SQLITE_NULL
    }

    /// An integer; 0 for NULL.
    public func int64(_ column: Int) -> Int64 {
        guard let index = index(column) else { return 0 }
        return sqlite3_column_int64(statement, index)
    }

    /// An integer; 0 for NULL.
    public func int(_ column: Int) -> Int { Int(clamping: int64(column)) }

    /// Whether an integer is not 0.
    public func bool(_ column: Int) -> Bool { int64(column) != 0 }

    /// A number; 0 for NULL.
    public func double(_ column: Int) -> Double {
        guard let index = index(column) else { return 0 }
        return sqlite3_column_double(statement, index)
    }

    /// Text; empty for NULL. Bytes that are not UTF-8 become U+FFFD.
    public func string(_ column: Int) -> String {
        guard let index = index(column), let text = sqlite3_column_text(statement, index) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, index))
        return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }

    /// Bytes, copied; empty for NULL.
    public func data(_ column: Int) -> Data {
        guard let index = index(column), let bytes = sqlite3_column_blob(statement, index) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, index)))
    }

    /// An integer; `nil` for NULL.
    public func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }
    /// An integer; `nil` for NULL.
    public func optionalInt(_ column: Int) -> Int? { isNull(column) ? nil : int(column) }
    /// A number; `nil` for NULL.
    public func optionalDouble(_ column: Int) -> Double? { isNull(column) ? nil : double(column) }
    /// Text; `nil` for NULL.
    public func optionalString(_ column: Int) -> String? { isNull(column) ? nil : string(column) }
    /// Bytes, copied; `nil` for NULL.
    public func optionalData(_ column: Int) -> Data? { isNull(column) ? nil : data(column) }

    private func index(_ column: Int) -> Int32? {
        guard column >= 0, column < columnCount else { return nil }
        return Int32(column)
    }
}
