import Cryptography
public import HTTPModel
public import Primitives

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Responses on disk: an index in SQLite, which holds small bodies as well; larger ones are files named by their SHA-256 and
/// shared between entries. What was used last is kept in memory, decoded.
///
/// Every method performs disk I/O on the calling thread and may be called from any thread. Entries become visible in
/// one transaction, whole or not at all; a process that dies at any instant leaves a store that opens. Two processes
/// may use one store at once; each has its own budgets and tells its own changes.
public final class ContentStore: Sendable {
    /// The limits of a store.
    public struct Configuration: Sendable, Hashable {
        /// The store's directory; made when missing.
        public var directory: String
        /// Most bytes of bodies that segments hold.
        public var pinnedByteCountMax: Int64 = 512 << 20
        /// Most bytes of bodies stored because they passed by; the least recently used go first. What these entries take
        /// for their own fields and URLs counts as well, beyond a first MiB.
        public var opportunisticByteCountMax: Int64 = 128 << 20
        /// Bodies up to this size are kept in the index, larger ones as files; below 0 all are files. A change concerns
        /// what is stored from then on.
        public var inlineByteCountMax = 64 << 10
        /// Most bytes of decoded entries and small bodies to keep in memory; 0 keeps none.
        public var memoryByteCountMax = 8 << 20

        /// Creates a configuration with the default limits.
        public init(directory: String) { self.directory = directory }
    }

    let index: StoreIndex
    private let memory: MemoryTier?
    private let inlineByteCountMax: Int
    private let timekeeper: any Timekeeping

    /// Opens a store and removes what processes that died may have left.
    ///
    /// Costs the same however much is stored; waits while another process opens the same store.
    /// - Throws: ``StoreError`` when the directory is unusable. A broken index is set aside (`index.broken-N`) and
    ///   begun anew.
    public convenience init(configuration: Configuration, timekeeper: any Timekeeping) throws(StoreError) {
        try self.init(configuration: configuration, timekeeper: timekeeper, disk: DiskCalls())
    }

    /// Opens a store on system calls of a test's own.
    package init(configuration: Configuration, timekeeper: any Timekeeping, disk: DiskCalls) throws(StoreError) {
        self.timekeeper = timekeeper
        index = try StoreOpening.open(
            files: BodyFiles(directory: configuration.directory, disk: disk),
            budgets: StoreBudgets(
                pinnedByteCountMax: configuration.pinnedByteCountMax,
                opportunisticByteCountMax: configuration.opportunisticByteCountMax))
        inlineByteCountMax = configuration.inlineByteCountMax
        memory = index.generations.flatMap { generations in
            configuration.memoryByteCountMax > 0
                ? MemoryTier(byteCountMax: configuration.memoryByteCountMax, generations: generations) : nil
        }
    }

    deinit { index.flushUses() }

    // MARK: Reading

    /// The visible entries for a URL: every variant.
    public func entries(for url: HTTPURL) throws(StoreError) -> [StoreEntry] {
        let key = index.hasher.key(of: url.string)
        return try withUses(index.read { try EntryReading.visible(url, key: key, $0) })
    }

    /// One entry by id, staged ones too.
    public func entry(id: Int64) throws(StoreError) -> StoreEntry? {
        try index.read { try EntryReading.one(id, $0) }.flatMap { withUses([$0]).first }
    }

    /// The entries that a segment version holds, staged ones too, in the order of their ids.
    public func entries(heldBy holder: String) throws(StoreError) -> [StoreEntry] {
        try withUses(index.read { try EntryReading.heldBy(holder, $0) })
    }

    /// Entries in the order of their ids, staged ones too, a page at a time.
    /// - Parameters:
    ///   - id: the last id of the page before; 0 to begin.
    ///   - limit: most entries of the page.
    public func entries(after id: Int64, limit: Int) throws(StoreError) -> [StoreEntry] {
        try withUses(index.read { try EntryReading.page(after: id, limit: max(limit, 0), $0) })
    }

    /// Every holder with at least one entry.
    public func holders() throws(StoreError) -> Set<String> {
        try index.read { try EntryReading.holders($0) }
    }

    /// How full the store is, staged entries included.
    public func usage() throws(StoreError) -> StoreUsage {
        try index.read { try EntryReading.usage($0) }
    }

    /// The visible entries for a URL, from memory where nobody has changed them since they were read; the fast way.
    ///
    /// Their `lastUsed` is that of the time they were read.
    public func ready(for url: HTTPURL) throws(StoreError) -> ReadyEntries {
        let hash = index.hasher.hash(url.string)
        if let kept = memory?.find(url, hash) { return kept }
        // Before the index is read: what changes meanwhile must not be kept.
        let generation = index.generations?.current(hash)
        let ready = try index.read { connection in
            let found = try EntryReading.ready(url, key: Int64(bitPattern: hash), connection)
            let bodies = found.map { entry, bytes in
                bytes.flatMap { Int64($0.count) == entry.bodyByteCount ? StoredBody($0) : nil }
            }
            let entries = found.map(\.0)
            return ReadyEntries(url: url, hash: hash, entries: entries, bodies: bodies)
        }
        if let generation, !ready.entries.isEmpty { memory?.keep(ready, generation: generation) }
        return ready
    }

    /// The same if memory has it; never performs disk I/O.
    public func remembered(for url: HTTPURL) -> ReadyEntries? { memory?.find(url, index.hasher.hash(url.string)) }

    /// Forgets what is kept in memory, when the app is short of it.
    public func releaseMemory() { memory?.removeAll() }

    /// Opens an entry's body.
    /// - Parameter ready: where the entry comes from, if it comes from there.
    /// - Throws: ``StoreError/Code/notFound`` when the entry is gone, or when its body is missing or has another size;
    ///   in that case every entry with that body is removed.
    public func body(of entry: StoreEntry, in ready: ReadyEntries? = nil) throws(StoreError) -> StoredBody {
        if let body = ready?.body(of: entry) { return body }
        let digest = entry.bodyDigest, byteCount = entry.bodyByteCount
        if entry.isInline {
            let isWhole = { (bytes: Data?) in bytes.map { Int64($0.count) == byteCount } ?? false }
            let bytes = try index.read { try EntryReading.bytes(ofEntry: entry.id, $0) }
            if let bytes, isWhole(bytes) { return StoredBody(bytes) }
            try index.removeBroken(entry.id) { !isWhole($0) }
        }
        // A body that was in the index may be a file by now.
        if let body = try index.files.open(digest, byteCount: byteCount) { return body }
        try index.removeBroken([digest]) { !index.files.isWhole($0, byteCount: byteCount) }
        throw StoreError(.notFound, "the body of \(entry.url) is gone")
    }

    /// The body of an entry as a file, for programs that want one: a small body is moved out of the index. Performs disk I/O.
    /// - Returns: the file's path; it is gone once the entry is evicted.
    /// - Throws: ``StoreError``, as ``body(of:in:)``.
    public func file(of entry: StoreEntry) throws(StoreError) -> String {
        let body = try body(of: entry)
        if let path = body.path { return path }
        let writer = try BodyWriter(
            files: index.files, byteCountMax: .max, inlineByteCountMax: -1, expectedByteCount: nil)
        try writer.append(body.data())
        let finished = try finish(writer)
        try index.write(linking: [finished]) { transaction in
            guard let current = try EntryReading.one(entry.id, transaction.connection) else {
                throw StoreError(.notFound, "the entry of \(entry.url) is gone")
            }
            if current.isInline { try transaction.moveOut(current) }
            return ((), keptID: entry.id)
        }
        finished.file?.removeName()
        return index.files.path(of: entry.bodyDigest)
    }

    private func finish(_ writer: BodyWriter) throws(StoreError) -> FinishedBody {
        let digest = try writer.finish()
        return FinishedBody(place: writer.place, digest: digest, byteCount: writer.byteCount)
    }

    /// Notes that an entry was used, for LRU. Never writes on the calling thread.
    ///
    /// Written with the next change of the store, behind once 256 are noted and five seconds are over, or at the end; a process that dies loses
    /// what is noted.
    public func touch(entryID: Int64) { index.use(UseNote(entryID: entryID), at: timekeeper.now) }

    /// The same at a known date, without a lock for an entry whose use is noted already.
    public func touch(_ entry: StoreEntry, in ready: ReadyEntries, at date: Date) {
        if let note = ready.use(of: entry) { index.use(note, at: date) }
    }

    /// Changes from now on, made by this process. Bounded: a listener that lags by 1,024 changes loses the oldest.
    public func changes() -> AsyncStream<StoreChange> { index.listen() }

    private func withUses(_ entries: [StoreEntry]) -> [StoreEntry] {
        var entries = entries
        for index in entries.indices {
            if let date = self.index.pendingUse(of: entries[index].id) { entries[index].lastUsed = date }
        }
        return entries
    }

    // MARK: Writing

    /// Begins a body.
    ///
    /// Writers take disk space beside the budgets until they are committed or let go of.
    /// - Parameter expectedByteCount: when known, refused at once if it can never fit the opportunistic budget
    ///   (or the pinned one with `isPinned`).
    public func beginBody(expectedByteCount: Int64? = nil, isPinned: Bool = false) throws(StoreError) -> BodyWriter {
        let budgets = index.currentBudgets
        let byteCountMax = isPinned ? budgets.pinnedByteCountMax : budgets.opportunisticByteCountMax
        if let expectedByteCount, expectedByteCount > byteCountMax {
            throw StoreError(
                .overBudget, "a body of \(expectedByteCount) bytes is larger than its budget of \(byteCountMax)")
        }
        return try BodyWriter(
            files: index.files, byteCountMax: byteCountMax, inlineByteCountMax: inlineByteCountMax,
            expectedByteCount: expectedByteCount)
    }

    /// Stores an entry with a finished body; replaces the visible entry of the same URL and selecting fields.
    ///
    /// A body that is not finished yet is finished first. A visible entry that replaces a pinned one keeps its holders.
    /// Evicts opportunistic entries to make room, never pinned ones.
    /// - Parameters:
    ///   - holder: the segment version that holds it, such as "news@42"; `nil` for an opportunistic entry.
    ///   - isStaged: invisible until ``activate(holder:replacing:)``; means nothing without a holder.
    /// - Throws: ``StoreError/Code/overBudget`` when the body is larger than its budget, or pinned content has no room
    ///   left.
    @discardableResult
    public func commit(_ draft: EntryDraft, body: BodyWriter, holder: String? = nil, isStaged: Bool = false)
        throws(StoreError) -> StoreEntry
    {
        let arrival = Arrival(draft: draft, body: body, holder: holder, isStaged: isStaged)
        guard let entry = try commit([arrival]).first else { throw StoreError(.notFound, "nothing was stored") }
        return entry
    }

    /// A response with its body, on its way into the store; see ``commit(_:body:holder:isStaged:)``.
    public struct Arrival: Sendable {
        var draft: EntryDraft
        var body: BodyWriter
        var holder: String?
        var isStaged: Bool

        /// Creates a value.
        public init(draft: EntryDraft, body: BodyWriter, holder: String? = nil, isStaged: Bool = false) {
            (self.draft, self.body, self.holder, self.isStaged) = (draft, body, holder, isStaged)
        }
    }

    /// Stores several entries in one transaction: all of them or none. Much cheaper than one by one.
    ///
    /// Opportunistic entries among them may make room for later ones.
    /// - Throws: as ``commit(_:body:holder:isStaged:)``.
    /// - Returns: the entries, in the order of the arrivals.
    @discardableResult
    public func commit(_ arrivals: [Arrival]) throws(StoreError) -> [StoreEntry] {
        var bodies: [FinishedBody] = []
        for arrival in arrivals { bodies.append(try finish(arrival.body)) }
        let budget = index.currentBudgets.opportunisticByteCountMax
        let now = timekeeper.now
        let entries = try index.write(linking: bodies) { [bodies] transaction in
            let entries = try zip(arrivals, bodies).map { arrival, body in
                let entry = try transaction.insert(
                    arrival.draft, body: body, holder: arrival.holder,
                    isStaged: arrival.isStaged && arrival.holder != nil, now: now)
                guard entry.isPinned || body.byteCount <= budget else {
                    throw StoreError(
                        .overBudget, "a body of \(body.byteCount) bytes is larger than its budget of \(budget)")
                }
                return entry
            }
            return (entries, keptID: entries.last?.id)
        }
        for body in bodies { body.file?.removeName() }
        return entries
    }

    /// Adds a holder to an existing entry whose URL and body are what a new segment version wants; no bytes move.
    /// - Throws: ``StoreError/Code/notFound``; ``StoreError/Code/overBudget`` when pinned content has no room for it.
    public func hold(entryID: Int64, holder: String) throws(StoreError) {
        try index.write { try $0.hold(entryID, holder: holder) }
    }

    /// After a validation: new fields and times for an entry, which is no longer invalidated.
    /// - Throws: ``StoreError/Code/notFound``.
    public func update(entryID: Int64, fields: HTTPFields, requestTime: Date, responseTime: Date) throws(StoreError) {
        try index.write {
            try $0.update(entryID, fields: fields, requestTime: requestTime, responseTime: responseTime)
        }
    }

    /// Marks the entries of a URL, staged ones too, as not to be used without validation.
    public func invalidate(_ url: HTTPURL) throws(StoreError) {
        try index.write { try $0.invalidate(url) }
    }

    /// Removes the entries of a URL, pinned or not, staged or not.
    public func remove(_ url: HTTPURL) throws(StoreError) {
        try index.write { try $0.remove(url) }
    }

    /// Makes a staged segment version visible and drops the holds of older ones, in one transaction.
    ///
    /// An entry that takes the place of another one keeps the holders that are not replaced. Entries that nobody holds
    /// any more are removed.
    public func activate(holder: String, replacing oldHolders: Set<String>) throws(StoreError) {
        try index.write { try $0.activate(holder, replacing: oldHolders) }
    }

    /// Drops the holds of segment versions, staged or active; entries that nobody holds any more are removed.
    /// - Parameter keepsEntries: leave the visible ones of these entries to the opportunistic budget instead.
    public func release(holders: Set<String>, keepsEntries: Bool = false) throws(StoreError) {
        try index.write { try $0.release(holders, keepsEntries: keepsEntries) }
    }

    /// Removes everything.
    public func removeAll() throws(StoreError) {
        try index.write { transaction in
            try transaction.removeUnreadable()
            while case let page = try EntryReading.page(after: 0, limit: 1_000, transaction.connection), !page.isEmpty {
                for entry in page { try transaction.remove(entry) }
            }
        }
        _ = try index.findOrphans(shallRemove: true)
    }

    /// Changes the budgets; shrinking evicts opportunistic entries.
    ///
    /// Pinned content stays, also above its budget; more of it is refused until there is room.
    public func setBudgets(pinnedByteCountMax: Int64, opportunisticByteCountMax: Int64) throws(StoreError) {
        try index.setBudgets(
            StoreBudgets(
                pinnedByteCountMax: pinnedByteCountMax, opportunisticByteCountMax: opportunisticByteCountMax))
    }

    /// Reads and hashes every body.
    /// - Parameter repair: remove what is broken.
    public func verify(repair: Bool) throws(StoreError) -> StoreVerification {
        try StoreVerifier(index: index, shallRepair: repair).run()
    }
}
