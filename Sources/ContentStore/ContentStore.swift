public import Cryptography
public import HTTPModel
public import Primitives

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One stored response with all that is known of it.
public struct StoreEntry: Sendable, Hashable {
    public var id: Int64
    /// The URL of the request (always a GET).
    public var url: HTTPURL
    public var requestFields: HTTPFields
    public var response: HTTPResponse
    public var requestTime: Date
    public var responseTime: Date
    public var isInvalidated: Bool
    /// The segment versions that hold the entry, such as "news@42"; empty for opportunistic entries.
    public var holders: Set<String>
    public var bodyDigest: SHA256Digest
    public var bodyByteCount: Int64
    public var lastUsed: Date
    /// Written for a segment version that is not active yet: not found by ``ContentStore/entries(for:)``.
    public var isStaged: Bool

    public var isPinned: Bool { !holders.isEmpty }

    /// Creates a value.
    public init(
        id: Int64, url: HTTPURL, requestFields: HTTPFields, response: HTTPResponse, requestTime: Date,
        responseTime: Date, isInvalidated: Bool, holders: Set<String>, bodyDigest: SHA256Digest,
        bodyByteCount: Int64, lastUsed: Date, isStaged: Bool
    ) {
        self.id = id
        self.url = url
        self.requestFields = requestFields
        self.response = response
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
        self.holders = holders
        self.bodyDigest = bodyDigest
        self.bodyByteCount = bodyByteCount
        self.lastUsed = lastUsed
        self.isStaged = isStaged
    }
}

/// A response about to be stored.
public struct EntryDraft: Sendable {
    public var url: HTTPURL
    /// The selecting fields of the request.
    public var requestFields: HTTPFields
    /// Status and fields as they shall be stored.
    public var response: HTTPResponse
    public var requestTime: Date
    public var responseTime: Date

    /// Creates a draft.
    public init(url: HTTPURL, requestFields: HTTPFields, response: HTTPResponse, requestTime: Date, responseTime: Date)
    {
        self.url = url
        self.requestFields = requestFields
        self.response = response
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// A body on disk, open for reading: stays readable while held, also when the entry is evicted meanwhile.
public final class StoredBody: Sendable {
    /// Bytes of the whole body.
    public var byteCount: Int64 { fatalError("stub") }
    /// The body's file, readable by any program.
    public var path: String { fatalError("stub") }
    /// Reads at an offset; fewer bytes than asked for only at the end. Performs disk I/O.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data { fatalError("stub") }
    /// The whole body, mapped where that is cheaper than reading. For bodies that fit in memory.
    public func data() throws(StoreError) -> Data { fatalError("stub") }
    /// The body, or a part of it, as a stream that reads ahead by one chunk at most.
    public func stream(range: Range<Int64>? = nil) -> ByteStream { fatalError("stub") }
}

/// A body being written: hashed as it grows, invisible until an entry is committed with it, gone if let go of.
public final class BodyWriter: Sendable {
    /// Bytes written so far.
    public var byteCount: Int64 { fatalError("stub") }
    /// Appends bytes. Performs disk I/O.
    public func append(_ data: Data) throws(StoreError) { fatalError("stub") }
    /// Reads back what has been written, for readers that follow the writer. Performs disk I/O.
    public func read(at offset: Int64, byteCount: Int) throws(StoreError) -> Data { fatalError("stub") }
    /// Ends the body: flushed, hashed.
    public func finish() throws(StoreError) -> SHA256Digest { fatalError("stub") }
    /// Removes what was written; harmless after a commit.
    public func discard() { fatalError("stub") }
}

/// A change of what the store can answer, in the order of the commits.
public enum StoreChange: Sendable, Hashable {
    /// Readable by the time the change is told.
    case added(StoreEntry)
    case updated(StoreEntry)
    case removed(url: HTTPURL, holders: Set<String>)
}

/// How full the store is.
public struct StoreUsage: Sendable, Hashable, Codable {
    public var entryCount = 0
    public var pinnedByteCount: Int64 = 0
    public var opportunisticByteCount: Int64 = 0
    public var bodyFileCount = 0

    /// Zero of everything.
    public init() {}
}

/// What a check of the whole store found.
public struct StoreVerification: Sendable, Hashable, Codable {
    public var entriesChecked = 0
    public var bodiesChecked = 0
    /// One sentence for each fault: what, where, and what was done.
    public var problems: [String] = []
    /// Whether the faults were mended (by removing what was broken).
    public var repaired = false

    /// An empty report.
    public init() {}
}

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

/// Responses on disk: an index in SQLite, bodies as files named by their SHA-256 and shared between entries.
///
/// Every method performs disk I/O on the calling thread and may be called from any thread. Entries become visible in one
/// transaction, whole or not at all; a process that dies at any instant leaves a store that opens.
public final class ContentStore: Sendable {
    /// The limits of a store.
    public struct Configuration: Sendable, Hashable {
        /// The store's directory; made when missing.
        public var directory: String
        /// Most bytes of bodies that segments hold.
        public var pinnedByteCountMax: Int64 = 512 << 20
        /// Most bytes of bodies stored because they passed by; the least recently used go first.
        public var opportunisticByteCountMax: Int64 = 128 << 20

        /// Creates a configuration with the default limits.
        public init(directory: String) { self.directory = directory }
    }

    /// Opens a store, mends what a crash may have left, and removes files that nothing refers to.
    /// - Throws: ``StoreError`` when the directory is unusable. A broken index is set aside (`index.broken-N`) and begun anew.
    public init(configuration: Configuration, timekeeper: any Timekeeping) throws(StoreError) { fatalError("stub") }

    /// The visible entries for a URL: every variant.
    public func entries(for url: HTTPURL) throws(StoreError) -> [StoreEntry] { fatalError("stub") }
    /// One entry by id, staged ones too.
    public func entry(id: Int64) throws(StoreError) -> StoreEntry? { fatalError("stub") }
    /// Opens an entry's body.
    public func body(of entry: StoreEntry) throws(StoreError) -> StoredBody { fatalError("stub") }
    /// Notes that an entry was used, for LRU. Cheap: written in batches.
    public func touch(entryID: Int64) { fatalError("stub") }

    /// Begins a body.
    /// - Parameter expectedByteCount: when known, refused at once if it can never fit the opportunistic budget
    ///   (or the pinned one with `isPinned`).
    public func beginBody(expectedByteCount: Int64? = nil, isPinned: Bool = false) throws(StoreError) -> BodyWriter {
        fatalError("stub")
    }
    /// Stores an entry with a finished body; replaces the visible entry of the same URL and selecting fields.
    ///
    /// An opportunistic entry that replaces a pinned one keeps its holders. Evicts opportunistic entries to make room.
    /// - Parameters:
    ///   - holder: the segment version that holds it, such as "news@42"; `nil` for an opportunistic entry.
    ///   - isStaged: invisible until ``activate(holder:replacing:)``.
    @discardableResult
    public func commit(_ draft: EntryDraft, body: BodyWriter, holder: String? = nil, isStaged: Bool = false)
        throws(StoreError) -> StoreEntry
    { fatalError("stub") }
    /// Adds a holder to an existing entry whose URL and body are what a new segment version wants; no bytes move.
    public func hold(entryID: Int64, holder: String) throws(StoreError) { fatalError("stub") }
    /// After a validation: new fields and times for an entry.
    public func update(entryID: Int64, fields: HTTPFields, requestTime: Date, responseTime: Date) throws(StoreError) {
        fatalError("stub")
    }
    /// Marks the entries of a URL as not to be used without validation.
    public func invalidate(_ url: HTTPURL) throws(StoreError) { fatalError("stub") }
    /// Removes the entries of a URL, pinned or not.
    public func remove(_ url: HTTPURL) throws(StoreError) { fatalError("stub") }
    /// Makes a staged segment version visible and drops the holds of older ones, in one transaction.
    ///
    /// Entries that nobody holds any more are removed.
    public func activate(holder: String, replacing oldHolders: Set<String>) throws(StoreError) { fatalError("stub") }
    /// Drops the holds of a segment version; entries that nobody holds any more are removed.
    public func release(holders: Set<String>) throws(StoreError) { fatalError("stub") }
    /// Every holder with at least one entry.
    public func holders() throws(StoreError) -> Set<String> { fatalError("stub") }
    /// The entries that a segment version holds, staged ones too.
    public func entries(heldBy holder: String) throws(StoreError) -> [StoreEntry] { fatalError("stub") }
    /// Entries in the order of their ids, a page at a time.
    public func entries(after id: Int64, limit: Int) throws(StoreError) -> [StoreEntry] { fatalError("stub") }
    /// Removes everything.
    public func removeAll() throws(StoreError) { fatalError("stub") }
    /// How full the store is.
    public func usage() throws(StoreError) -> StoreUsage { fatalError("stub") }
    /// Changes the budgets; shrinking evicts.
    public func setBudgets(pinnedByteCountMax: Int64, opportunisticByteCountMax: Int64) throws(StoreError) {
        fatalError("stub")
    }
    /// Reads and hashes every body.
    /// - Parameter repair: remove what is broken.
    public func verify(repair: Bool) throws(StoreError) -> StoreVerification { fatalError("stub") }
    /// Changes from now on, made by this process. Bounded: a listener that lags by 1,024 changes loses the oldest.
    public func changes() -> AsyncStream<StoreChange> { fatalError("stub") }
}
