#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension ContentStore {
    /// Adds holders to existing entries in one transaction; no bytes move.
    /// - Throws: ``StoreError/Code/notFound``; ``StoreError/Code/overBudget`` when pinned content has no room. Nothing is held
    ///   then.
    public func hold(_ holds: [(entryID: Int64, holder: String)]) throws(StoreError) {
        try index.write { transaction in
            for one in holds { try transaction.hold(one.entryID, holder: one.holder) }
        }
    }

    /// Returns once everything that was committed before survives a power loss.
    ///
    /// A commit by itself survives the death of the process only. Costs one flush of the index's write-ahead log.
    /// - Throws: ``StoreError/Code/writeFailed``.
    public func synchronize() throws(StoreError) {
        let path = index.files.indexPath + "-wal"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        // Without a log everything is in the index itself, which SQLite has flushed.
        if descriptor < 0, errno == ENOENT { return }
        guard descriptor >= 0 else { throw StoreError(.writeFailed, "cannot open", path: path, errno: errno) }
        defer { close(descriptor) }
        guard index.files.disk.synchronize(descriptor) == 0 else {
            throw StoreError(.writeFailed, "cannot flush", path: path, errno: errno)
        }
    }
}
