import Cryptography
import Dispatch
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
    private static let attemptCountMax = 8

    let files: BodyFiles
    let hasher: URLHasher
    /// `nil` when nothing can be kept in memory.
    let generations: Generations?
    private let database: SQLiteDatabase
    private let hub = ChangeHub()
    private let budgets: Locked<StoreBudgets>
    private let uses = UseNotes()
    private let background = DispatchQueue(label: "larder.store", qos: .utility)

    /// Opens the index; deals with the files that processes which died may have left.
    init(files: BodyFiles, budgets: StoreBudgets) throws {
        self.files = files
        self.budgets = Locked(budgets)
        let isSuspect = access(files.suspectMarkPath, F_OK) == 0
        var options = SQLiteDatabase.Options()
        options.mappedByteCountMax = 2 << 30
        database = try SQLiteDatabase(path: files.indexPath, options: options, migrations: StoreSchema.migrations)
        if isSuspect {
            let problems = try database.read { try $0.integrityProblems() }
            guard problems.isEmpty else { throw StoreError(.corrupted, problems.joined(separator: "; ")) }
            unlink(files.suspectMarkPath)
        }
        guard let hasher = try database.read({ try URLHasher($0) }) else {
            throw StoreError(.corrupted, "the store's index has no key for its URLs")
        }
        self.hasher = hasher
        generations = Generations(path: files.generationsPath)
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
    func pendingUse(of id: Int64) -> Date? { uses.date(of: id) }

    // MARK: Writing

    /// Runs a closure that changes the index; tells the changes once they are committed; removes files without
    /// entries.
    /// - Parameters:
    ///   - linking: the bodies that the closure's entries need; files get their names within the transaction.
    ///   - body: returns a value and the newest entry that must not be evicted for its own sake. Run again when another process
    ///     has interfered.
    func write<Value: Sendable>(
        linking bodies: [FinishedBody] = [], _ body: (IndexTransaction) throws -> (Value, keptID: Int64?)
    ) throws(StoreError) -> Value {
        let pending = uses.take()
        let named = bodies.filter { $0.file != nil }
        return try noting {
            try database.withWriter { connection in
                var attemptsLeft = Self.attemptCountMax
                while true {
                    do {
                        try intend(named, connection)
                        return try change(linking: named, connection) { transaction in
                            try transaction.noteUses(pending)
                            return try body(transaction)
                        }
                    } catch is IntentLost where attemptsLeft > 1 {
                        attemptsLeft -= 1
                    }
                }
            }
        }
    }

    private func change<Value>(
        linking named: [FinishedBody], _ connection: SQLiteConnection,
        _ body: (IndexTransaction) throws -> (Value, keptID: Int64?)
    ) throws -> Value {
        let transaction = IndexTransaction(connection, hasher: hasher)
        var isTold = false
        // Also after a failure: nothing has changed then, but it may have looked so to others.
        defer { if isTold { generations?.finish(transaction.touched) } }
        let value: Value
        do {
            value = try connection.transaction {
                let (value, keptID) = try body(transaction)
                // Before what loses its entry is noted: an entry may come and go within one transaction.
                for digest in Set(named.map(\.digest)) { try giveUpIntent(digest, connection) }
                try transaction.settle(budgets: currentBudgets, keeping: keptID)
                for body in named {
                    if let file = body.file { try files.keep(file, digest: body.digest, byteCount: body.byteCount) }
                }
                generations?.start(transaction.touched)
                isTold = true
                return value
            }
        } catch {
            // The bodies may have got their names before the transaction failed.
            removeLoose(Set(named.map(\.digest)), connection)
            throw error
        }
        hub.publish(transaction.changes)
        removeLoose(transaction.unreferenced, connection)
        return value
    }

    /// Runs a closure that changes the index.
    func write(_ body: (IndexTransaction) throws -> Void) throws(StoreError) {
        try write { transaction in
            try body(transaction)
            return ((), keptID: nil)
        }
    }

    /// Notes a use; what has come together is written behind.
    func use(_ note: UseNote, at date: Date) {
        guard note.note(date), uses.add(note, date) else { return }
        background.async { [weak self] in self?.flushUses() }
    }

    /// Writes the noted uses down.
    func flushUses() {
        guard !uses.isEmpty else { return }
        // Lost uses make eviction a little less just, nothing more.
        do { try write { _ in } } catch {}
    }

    /// Waits until what is being written behind is written.
    func waitForBackground() { background.sync {} }

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

    /// Removes an entry whose body the index should hold.
    /// - Parameter isBroken: asked again under the write lock, with what the index holds.
    func removeBroken(_ id: Int64, ifStill isBroken: (Data?) -> Bool) throws(StoreError) {
        try write { transaction in
            let connection = transaction.connection
            guard let entry = try EntryReading.one(id, connection), entry.isInline,
                isBroken(try EntryReading.bytes(ofEntry: id, connection))
            else { return }
            try transaction.remove(entry)
        }
    }

    // MARK: Files without entries

    /// The intent to name a file was taken away by a process that opened the store.
    private struct IntentLost: Error {}

    /// Leaves a note that files are about to get their names, for whoever opens the store should this process die.
    private func intend(_ named: [FinishedBody], _ connection: SQLiteConnection) throws {
        if named.isEmpty { return }
        try connection.transaction {
            for body in named { try connection.run("INSERT OR IGNORE INTO loose_files VALUES (?)", body.digest.hex) }
        }
    }

    private func giveUpIntent(_ digest: SHA256Digest, _ connection: SQLiteConnection) throws {
        guard try connection.run("DELETE FROM loose_files WHERE digest = ?", digest.hex) == 1 else {
            throw IntentLost()
        }
    }

    /// Removes files that have lost their last entry, or never had one.
    private func removeLoose(_ digests: Set<SHA256Digest>, _ connection: SQLiteConnection) {
        guard !digests.isEmpty else { return }
        do {
            try connection.transaction {
                for digest in digests {
                    if try !Accounts.isReferenced(digest, connection) { files.remove(digest) }
                    try connection.run("DELETE FROM loose_files WHERE digest = ?", digest.hex)
                }
            }
        } catch {
            // What stays is noted in the index and goes when the store is opened next.
        }
    }

    /// Removes what writers left that have died, and what does not fit the budgets. Costs as much as there is of that.
    private func mend() throws {
        files.sweepIncoming()
        let loose = try database.read { connection in
            try connection.query("SELECT digest FROM loose_files") { SHA256Digest(hex: $0.string(0)) }
        }
        if !loose.isEmpty { try database.withWriter { removeLoose(Set(loose.compactMap { $0 }), $0) } }
        let budgets = currentBudgets
        if try database.read({ try Accounts().totals($0).exceeds(budgets) }) { try write { _ in } }
    }

    /// Finds the files that have no entry, and removes them if asked to. Lists every file.
    func findOrphans(shallRemove: Bool) throws(StoreError) -> Set<SHA256Digest> {
        let present = files.digests()
        return try noting {
            try database.withWriter { connection in
                try connection.transaction {
                    let found = try present.filter { try !Accounts.isReferenced($0, connection) }
                    if shallRemove {
                        for digest in found { files.remove(digest) }
                    }
                    return found
                }
            }
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

/// A finished body on its way into the store.
struct FinishedBody {
    var place: BodyWriter.Place
    var digest: SHA256Digest
    var byteCount: Int64

    /// The bytes, when they go into the index.
    var bytes: Data? {
        if case .memory(let bytes) = place { return bytes }
        return nil
    }

    /// The file that is to get its name, when they do not.
    var file: IncomingFile? {
        if case .file(let file) = place { return file }
        return nil
    }
}
