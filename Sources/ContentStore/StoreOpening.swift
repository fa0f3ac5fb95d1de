import Primitives
import SQLiteDatabase

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Opening a store: one process at a time, with a broken index put out of the way.
enum StoreOpening {
    /// Broken indexes that are kept for whoever wants to look into them; older ones are removed.
    static let brokenIndexCountMax = 3

    static func open(files: BodyFiles, budgets: StoreBudgets) throws(StoreError) -> StoreIndex {
        try files.makeDirectories()
        let lock = try lock(files.directory + "/lock")
        defer { close(lock) }
        do {
            return try attempt(files, budgets)
        } catch  where error.code == .corrupted {
            try setAside(files)
            let index = try attempt(files, budgets)
            // What other processes remember is of the index that has gone.
            index.generations?.startAnew()
            _ = try index.findOrphans(shallRemove: true)
            return index
        }
    }

    private static func attempt(_ files: BodyFiles, _ budgets: StoreBudgets) throws(StoreError) -> StoreIndex {
        try StoreError.wrapping { try StoreIndex(files: files, budgets: budgets) }
    }

    /// Waits until no other process is opening the store. The lock ends when the descriptor is closed, or the process.
    private static func lock(_ path: String) throws(StoreError) -> Int32 {
        let descriptor = Self.openLock(path)
        guard descriptor >= 0 else {
            throw StoreError(.directoryUnusable, "cannot write", path: path, errno: errno)
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let number = errno
                close(descriptor)
                throw StoreError(.directoryUnusable, "cannot lock", path: path, errno: number)
            }
        }
        return descriptor
    }

    private static func openLock(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #else
            Darwin.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        #endif
    }

    /// Renames the index to `index.broken-N`.
    ///
    /// The log goes first: SQLite would replay a log that it finds beside a new index.
    private static func setAside(_ files: BodyFiles) throws(StoreError) {
        let prefix = "index.broken-"
        let numbers = DirectoryListing.names(in: files.directory).compactMap { name in
            name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
        }
        let number = (numbers.max() ?? 0) + 1
        let target = "\(files.directory)/\(prefix)\(number)"
        rename(files.indexPath + "-wal", target + "-wal")
        unlink(files.indexPath + "-shm")
        guard rename(files.indexPath, target) == 0 || errno == ENOENT else {
            throw StoreError(.directoryUnusable, "cannot set aside", path: files.indexPath, errno: errno)
        }
        for old in numbers where old <= number - brokenIndexCountMax {
            unlink("\(files.directory)/\(prefix)\(old)")
            unlink("\(files.directory)/\(prefix)\(old)-wal")
        }
        unlink(files.suspectMarkPath)
    }
}
