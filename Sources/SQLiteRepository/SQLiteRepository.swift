public import ControlModel
import Dispatch
public import Foundation
import SQLiteDatabase

/// The control plane's repository in one SQLite file: for one server process, with no other service.
///
/// Writes go one after the other through a queue of their own and survive a power loss once they have returned; up to four
/// reads run beside them on threads of their own. Swift's cooperative threads never wait for the disk.
public final class SQLiteRepository: Repository {
    private let database: SQLiteDatabase
    private let writes = DispatchQueue(label: "larder.repository.writes")
    private let reads: OperationQueue

    /// Opens the file, made when missing, and brings its schema up to date. Blocks for as long as that takes.
    /// - Throws: ``RepositoryError/unusable(_:)`` with what to do.
    public init(path: String) throws {
        Self.makePrivate(path)
        var options = SQLiteDatabase.Options()
        options.synchronous = .full
        options.readerCountMax = 4
        do {
            database = try SQLiteDatabase(path: path, options: options, migrations: Schema.migrations)
        } catch {
            throw RepositoryError.unusable("the database \(path) cannot be used: \(error)")
        }
        reads = OperationQueue()
        reads.name = "larder.repository.reads"
        reads.maxConcurrentOperationCount = options.readerCountMax
    }

    /// Makes a missing file one that only this user can read: it will hold the signing key. SQLite gives its log the same
    /// permissions. When it cannot be made, opening it fails next and says why.
    private static func makePrivate(_ path: String) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
    }

    /// Reads in one snapshot, away from the caller's thread.
    func read<Value: Sendable>(_ body: @escaping @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            reads.addOperation { [database] in
                continuation.resume(with: Result { try database.readSnapshot(body) }.mapError(Self.translated))
            }
        }
    }

    /// Writes in one transaction, away from the caller's thread.
    @discardableResult
    func write<Value: Sendable>(_ body: @escaping @Sendable (SQLiteConnection) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            writes.async { [database] in
                continuation.resume(with: Result { try database.write(body) }.mapError(Self.translated))
            }
        }
    }

    /// Callers see the repository's own errors, not SQLite's.
    @Sendable private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? SQLiteError else { return error }
        switch error.kind {
        case .constraint:
            return RepositoryError.conflict("the change contradicts what is stored: \(error.message)")
        case .full:
            return RepositoryError.unusable("the disk is full, so nothing was stored; make room: \(error)")
        default:
            return RepositoryError.unusable("the database does not work: \(error)")
        }
    }
}

extension SQLiteRepository {
    public func setting(_ name: String) async throws -> Data? {
        try await read { try $0.first("SELECT value FROM settings WHERE name = ?", name) { $0.data(0) } }
    }

    public func setSetting(_ name: String, to value: Data) async throws {
        try await write { connection in
            try connection.run(
                "INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                name, value)
        }
    }
}
