import CSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A prepared statement, kept by its connection for the next time.
final class SQLiteStatement {
    let pointer: OpaquePointer

    init(pointer: OpaquePointer) { self.pointer = pointer }

    deinit { sqlite3_finalize(pointer) }

    /// Binds values to the placeholders, first to first.
    func bind(_ values: [(any SQLiteBindable)?]) throws(SQLiteError) {
        guard values.count == Int(sqlite3_bind_parameter_count(pointer)) else {
            throw SQLiteError(
                code: SQLITE_RANGE,
                message: "\(values.count) values given for \(sqlite3_bind_parameter_count(pointer)) placeholders")
        }
        for (offset, value) in values.enumerated() {
            let code = bind(value?.sqliteValue ?? .null, at: Int32(offset + 1))
            guard code == SQLITE_OK else {
                throw SQLiteError(code: code, message: "cannot bind value \(offset + 1)")
            }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLite copies the bytes before the call returns.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: return sqlite3_bind_null(pointer, index)
        case .integer(let integer): return sqlite3_bind_int64(pointer, index, integer)
        case .real(let real): return sqlite3_bind_double(pointer, index, real)
        case .text(var text):
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { characters in
                    guard let base = characters.baseAddress else {
                        return sqlite3_bind_text(pointer, index, "", 0, transient)
                    }
                    return sqlite3_bind_text64(
                        pointer, index, base, UInt64(characters.count), transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let data):
            return data.withUnsafeBytes { bytes in
                // A null pointer would mean NULL rather than no bytes.
                guard let base = bytes.baseAddress else { return sqlite3_bind_zeroblob(pointer, index, 0) }
                return sqlite3_bind_blob64(pointer, index, base, UInt64(bytes.count), transient)
            }
        }
    }

    /// Makes the statement ready for another use and frees what was bound.
    func reset() {
        // The code repeats the error of the last step, which has been thrown already.
        sqlite3_reset(pointer)
        sqlite3_clear_bindings(pointer)
    }
}
