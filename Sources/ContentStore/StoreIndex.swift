import Cryptography
import HTTPModel
import Primitives
import SQLiteDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The index together with the files that belong to it: opened, mended, changed.
final class StoreIndex: Sendable {
    /// Uses that are not written down yet: beyond these they are written at once.
    static let pendingUseCountMax = 256

    let files: BodyFiles
    private let database: SQLiteDatabase
    private let hub = ChangeHub()
    private let budgets: Locked<StoreBudgets>
    private let uses = Locked<[Int64: Date]>([:])

    /// Opens the index and brings it and the body files into agreement.
    init(files: BodyFiles, budgets: StoreBudgets) throws {
        self.files = files
        self.budgets = Locked(budgets)
        let isSuspect = access(files.suspectMarkPath, F_OK) == 0
        var options = SQLiteDatabase.Options()
        options.mappedByteCountMax = 64 << 20
        database = try SQLiteDatabase(path: files.indexPath, options: options, migrations: StoreSchema.migrations)
        if isSuspect {
            let problems = try database.read { try $0.integrityProblems() }
            guard problems.isEmpty else { throw StoreError(.corrupted, problems.joined(separator: "; ")) }
            unlink(files.suspectMarkPath)
        }
        try mend()
    }

    var currentBudgets: StoreBudgets { budgets.withLock { $0 } }

    func listen() -> AsyncStream<StoreChange> { hub.listen() }

    // MARK: Reading

    /// Runs a closure that reads the index.
    func read<Value: Sendable>(_ body: (SQLiteConnection) throws -> Value) throws(StoreError) -> Value {
        try noting { try database.read(body) }
    }

    /// The date an entry was used last, if that is not written down yet.
    func pendingUse(of id: Int64) -> Date? { uses.withLock { $0[id] } }

    // MARK: Writing

    /// Runs a closure that changes the index; tells the changes once they are committed; removes bodies without
    /// entries.
    /// - Parameters:
    ///   - linking: the body that the closure's entry needs, which gets its name within the transaction.
    ///   - body: returns a value and the entry that must not be evicted for its own sake.
    func write<Value: Sendable>(
        linking link: BodyLink? = nil, _ body: (IndexTransaction) throws -> (Value, keptID: Int64?)
    ) throws(StoreError) -> Value {
        let pending = uses.withLock { uses in
            defer { uses.removeAll() }
            return uses
        }
        return try noting {
            try database.withWriter { connection in
                let transaction = IndexTransaction(connection)
                let value: Value
                do {
                    value = try connection.transaction {
                        try transaction.noteUses(pending)
                        let (value, keptID) = try body(transaction)
                        try transaction.settle(budgets: currentBudgets, keeping: keptID)
                        if let link { try files.keep(link.file, digest: link.digest, byteCount: link.byteCount) }
                        return value
                    }
                } catch {
                    // The body may have got its name before the transaction failed.
                    if let link { removeUnreferenced([link.digest], connection) }
                    throw error
                }
                hub.publish(transaction.changes)
                removeUnreferenced(transaction.unreferenced, connection)
                return value
            }
        }
    }

    /// Runs a closure that changes the index.
    func write(_ body: (IndexTransaction) throws -> Void) throws(StoreError) {
        try write { transaction in
            try body(transaction)
            return ((), keptID: nil)
        }
    }

    /// Notes a use; writes when many have come together.
    func use(_ id: Int64, at date: Date) {
        let isFull = uses.withLock { uses in
            uses[id] = date
            return uses.count >= Self.pendingUseCountMax
        }
        if isFull { flushUses() }
    }

    /// Writes the noted uses down.
    func flushUses() {
        guard !uses.withLock({ $0.isEmpty }) else { return }
        // Lost uses make eviction a little less just, nothing more.
        do { try write { _ in } } catch {}
    }

    func setBudgets(_ new: StoreBudgets) throws(StoreError) {
        budgets.withLock { $0 = new }
        try write { _ in }
    }

    /// Removes bodies whose files are missing or damaged, with their entries.
    /// - Parameter isBroken: asked again under the write lock, where no other process changes the file.
    func removeBroken(_ digests: Set<SHA256Digest>, ifStill isBroken: (SHA256Digest) -> Bool) throws(StoreError) {
        try write { transaction in
            for digest in digests where isBroken(digest) {
                for entry in try EntryReading.sharing(digest, transaction.connection) { try transaction.remove(entry) }
                files.remove(digest)
            }
        }
    }

    /// Removes bodies without entries, after a change that may have left some.
    private func removeUnreferenced(_ digests: Set<SHA256Digest>, _ connection: SQLiteConnection) {
        guard !digests.isEmpty else { return }
        do {
            try unreferenced(among: digests, shallRemove: true, connection)
        } catch {
            // What stays is without an entry and goes when the store is opened next.
        }
    }

    /// Finds bodies without entries under the write lock, so that no other process is about to refer to them.
    @discardableResult
    private func unreferenced(among digests: Set<SHA256Digest>, shallRemove: Bool, _ connection: SQLiteConnection)
        throws -> Set<SHA256Digest>
    {
        try connection.transaction {
            let transaction = IndexTransaction(connection)
            let found = try digests.filter { try !transaction.isReferenced($0) }
            if shallRemove {
                for digest in found { files.remove(digest) }
            }
            return found
        }
    }

    // MARK: Mending

    /// Removes files without entries, entries without files, and what does not fit the budgets.
    private func mend() throws {
        files.sweepIncoming()
        let present = files.digests()
        let known = try database.read { connection in
            try connection.query("SELECT DISTINCT digest FROM entries") { SHA256Digest(hex: $0.string(0)) }
        }
        let wanted = Set(known.compactMap { $0 })
        let orphans = present.subtracting(wanted)
        if !orphans.isEmpty {
            try database.withWriter { try unreferenced(among: orphans, shallRemove: true, $0) }
        }
        // Also evicts what does not fit the budgets, when nothing is missing.
        try removeBroken(wanted.subtracting(present)) { access(files.path(of: $0), F_OK) != 0 }
    }

    /// Finds the files that have no entry, and removes them if asked to.
    func findOrphans(shallRemove: Bool) throws(StoreError) -> Set<SHA256Digest> {
        let present = files.digests()
        return try noting {
            try database.withWriter { try unreferenced(among: present, shallRemove: shallRemove, $0) }
        }
    }

    /// Turns errors into the store's own, and notes on disk that the index is damaged, for the next opening to see.
    private func noting<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try StoreError.wrapping(body)
        } catch {
            if error.code == .corrupted { files.markSuspect() }
            throw error
        }
    }
}

/// A finished body that is to get its name.
struct BodyLink {
    var file: IncomingFile
    var digest: SHA256Digest
    var byteCount: Int64
}
