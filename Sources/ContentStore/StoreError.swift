import SQLiteDatabase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the store can refuse.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public enum Code: String, Sendable {
        /// The directory cannot be made, read or written.
        case directoryUnusable
        /// The index was unreadable; it has been set aside and a new one begun.
        case corrupted
        /// No space left on the device, or a write failed.
        case writeFailed
        case readFailed
        /// The body is larger than the budget it would count against.
        case overBudget
        /// The entry or body is gone.
        case notFound
        /// Another process held the index too long.
        case busy
    }
    public var code: Code
    /// What failed, where, and what to do.
    public var description: String

    /// Creates an error.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension StoreError {
    /// An error that names the file and what the system said about it.
    init(_ code: Code, _ what: String, path: String, errno number: Int32) {
        self.init(code, "\(what) \(path): \(String(cString: strerror(number)))")
    }

    /// Runs a closure and turns what the index may throw into what the store throws.
    static func wrapping<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as SQLiteError {
            throw StoreError(error)
        } catch {
            throw StoreError(.readFailed, "the store's index failed: \(error)")
        }
    }

    private init(_ error: SQLiteError) {
        // The store's statements are right: that SQLite cannot make sense of one (SQLITE_ERROR) is the fault of the
        // tables.
        if error.kind == .other, error.code & 0xFF == 1 {
            self.init(.corrupted, "the store's index lacks tables; open the store again to mend it (\(error))")
            return
        }
        switch error.kind {
        case .busy: self.init(.busy, "another process held the store's index too long; try again (\(error))")
        case .corrupt: self.init(.corrupted, "the store's index is damaged; open the store again to mend it (\(error))")
        case .full: self.init(.writeFailed, "no space left for the store's index (\(error))")
        case .cannotOpen, .newerSchema: self.init(.directoryUnusable, "the store's index cannot be used (\(error))")
        case .inputOutput, .constraint, .misuse, .other:
            self.init(.writeFailed, "the store's index could not be read or written (\(error))")
        }
    }
}
