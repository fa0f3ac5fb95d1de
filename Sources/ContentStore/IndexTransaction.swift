import Cryptography
import HTTPModel
import SQLiteDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Changes of the index within one write transaction, with the accounts that go with them.
///
/// Every operation notes the bodies it concerns before it changes their entries; ``settle(budgets:keeping:)`` then
/// books the difference, evicts, and finds the files that nobody refers to any more. The URLs it concerns are noted as well,
/// for the generations.
final class IndexTransaction {
    let connection: SQLiteConnection
    let hasher: URLHasher
    /// What to tell once the transaction is committed.
    private(set) var changes: [StoreChange] = []
    /// Where the URLs of changed entries stand among the generations.
    private(set) var touched = SlotSet()
    private var accounts = Accounts()

    init(_ connection: SQLiteConnection, hasher: URLHasher) {
        self.connection = connection
        self.hasher = hasher
    }

    /// Files that lost their last entry.
    var unreferenced: Set<SHA256Digest> { accounts.unreferenced }

    // MARK: Operations

    /// Adds an entry; a visible one replaces the visible entry of the same URL and variant and takes over its holders.
    func insert(_ draft: EntryDraft, body: FinishedBody, holder: String?, isStaged: Bool, now: Date) throws
        -> StoreEntry
    {
        if case .file = body.place { try accounts.note(.file(body.digest), connection) }
        let key = touch(draft.url)
        let variant = FieldCoding.variantKey(draft.requestFields)
        var holders = Set(holder.map { [$0] } ?? [])
        var isReplacement = false
        if isStaged {
            try dropEarlierAttempts(at: draft.url, variant: variant, holders: holders)
        } else if let old = try visibleEntry(at: draft.url, variant: variant) {
            holders.formUnion(old.holders)
            try delete(old)
            isReplacement = true
        }
        try connection.run(
            """
            INSERT INTO entries (url_hash, url, variant, is_visible, is_pinned, is_inline, status, fields, request_time,
                response_time, last_used, digest, byte_count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, key, draft.url.string, variant, isStaged ? nil : 1, !holders.isEmpty, body.bytes != nil,
            draft.response.status, FieldCoding.encode(request: draft.requestFields, response: draft.response.fields),
            draft.requestTime.timeIntervalSince1970, draft.responseTime.timeIntervalSince1970,
            now.timeIntervalSince1970, body.digest.hex, body.byteCount)
        let id = connection.lastInsertedRowID
        if let bytes = body.bytes {
            accounts.noteNew(inline: id)
            try connection.run("INSERT INTO bodies VALUES (?, ?)", id, bytes)
        }
        for holder in holders { try connection.run("INSERT INTO holds VALUES (?, ?)", id, holder) }
        let entry = StoreEntry(
            id: id, url: draft.url, requestFields: draft.requestFields, response: draft.response,
            requestTime: draft.requestTime, responseTime: draft.responseTime, isInvalidated: false, holders: holders,
            bodyDigest: body.digest, bodyByteCount: body.byteCount, lastUsed: now, isStaged: isStaged,
            isInline: body.bytes != nil)
        if !isStaged { changes.append(isReplacement ? .updated(entry) : .added(entry)) }
        return entry
    }

    /// Adds a holder to an entry.
    func hold(_ id: Int64, holder: String) throws {
        try note(existing(id))
        try connection.run("INSERT OR IGNORE INTO holds VALUES (?, ?)", id, holder)
        try connection.run("UPDATE entries SET is_pinned = 1 WHERE id = ?", id)
    }

    /// Gives an entry new fields and times, which also ends its invalidation.
    func update(_ id: Int64, fields: HTTPFields, requestTime: Date, responseTime: Date) throws {
        let entry = try existing(id)
        touch(entry.url)
        try connection.run(
            """
            UPDATE entries SET fields = ?, request_time = ?, response_time = ?, is_invalidated = 0 WHERE id = ?
            """, FieldCoding.encode(request: entry.requestFields, response: fields),
            requestTime.timeIntervalSince1970, responseTime.timeIntervalSince1970, id)
        try tellUpdate(of: id)
    }

    /// Marks every entry of a URL, staged ones too.
    func invalidate(_ url: HTTPURL) throws {
        let entries = try all(at: url).filter { !$0.isInvalidated }
        guard !entries.isEmpty else { return }
        touch(url)
        for entry in entries {
            try connection.run("UPDATE entries SET is_invalidated = 1 WHERE id = ?", entry.id)
            try tellUpdate(of: entry.id)
        }
    }

    /// Removes the entries of a URL, staged ones too.
    func remove(_ url: HTTPURL) throws {
        for entry in try all(at: url) { try remove(entry) }
    }

    /// Removes an entry.
    func remove(_ entry: StoreEntry) throws {
        try delete(entry)
        if !entry.isStaged { changes.append(.removed(url: entry.url, holders: entry.holders)) }
    }

    /// Makes the staged entries of a holder visible, in the place of those with the same URL and variant.
    func activate(_ holder: String, replacing oldHolders: Set<String>) throws {
        for entry in try EntryReading.heldBy(holder, connection) where entry.isStaged {
            try note(entry)
            let variant = FieldCoding.variantKey(entry.requestFields)
            let old = try visibleEntry(at: entry.url, variant: variant)
            if let old {
                try delete(old)
                for inherited in old.holders.subtracting(oldHolders) {
                    try connection.run("INSERT OR IGNORE INTO holds VALUES (?, ?)", entry.id, inherited)
                }
            }
            try connection.run("UPDATE entries SET is_visible = 1 WHERE id = ?", entry.id)
            let current = try existing(entry.id)
            changes.append(old == nil ? .added(current) : .updated(current))
        }
        try release(oldHolders.subtracting([holder]))
    }

    /// Drops holders; entries that nobody holds any more go, or are opportunistic from now on when they are to be kept.
    func release(_ holders: Set<String>, keepsEntries: Bool = false) throws {
        for holder in holders {
            for entry in try EntryReading.heldBy(holder, connection) {
                let isLast = entry.holders.isSubset(of: holders)
                if isLast, !keepsEntries || entry.isStaged {
                    try remove(entry)
                    continue
                }
                try note(entry)
                try connection.run("DELETE FROM holds WHERE entry_id = ? AND holder = ?", entry.id, holder)
                if isLast { try connection.run("UPDATE entries SET is_pinned = 0 WHERE id = ?", entry.id) }
            }
        }
    }

    /// Makes a file of a body that the index holds.
    func moveOut(_ entry: StoreEntry) throws {
        try accounts.note(.file(entry.bodyDigest), connection)
        try note(entry)
        try connection.run("UPDATE entries SET is_inline = 0 WHERE id = ?", entry.id)
        try connection.run("DELETE FROM bodies WHERE entry_id = ?", entry.id)
    }

    /// Writes down when entries were used last.
    func noteUses(_ uses: [(id: Int64, date: Date)]) throws {
        for (id, date) in uses {
            let time = date.timeIntervalSince1970
            try connection.run("UPDATE entries SET last_used = ? WHERE id = ? AND last_used < ?", time, id, time)
        }
    }

    /// Removes rows that cannot be read.
    func removeUnreadable() throws {
        for id in try EntryReading.unreadable(connection) { try deleteUnreadable(id) }
    }

    /// Computes the totals anew from the entries.
    func recomputeTotals() throws {
        try connection.run("UPDATE totals SET (\(StoreSchema.totalColumns)) = (\(StoreSchema.computedTotals))")
    }

    /// Books what the operations changed and evicts the least recently used until the opportunistic budget is kept.
    /// - Parameter keptID: the entry that has just been added, which is not evicted for its own sake.
    /// - Throws: ``StoreError/Code/overBudget`` when pinned bytes grew beyond their budget.
    func settle(budgets: StoreBudgets, keeping keptID: Int64?) throws {
        let pinnedBefore = try accounts.totals(connection).pinned
        try accounts.book(connection)
        var current = try accounts.totals(connection)
        guard current.pinned <= budgets.pinnedByteCountMax || current.pinned <= pinnedBefore else {
            throw StoreError(
                .overBudget,
                "pinned content would take \(current.pinned) bytes, more than its budget of "
                    + "\(budgets.pinnedByteCountMax); release segments or raise the budget")
        }
        while current.exceeds(budgets) {
            let victims = try connection.query(
                "SELECT id FROM entries WHERE is_pinned = 0 AND id IS NOT ? ORDER BY last_used, id LIMIT 16", keptID
            ) { $0.int64(0) }
            guard !victims.isEmpty else { break }
            for victim in victims where current.exceeds(budgets) {
                if let entry = try EntryReading.one(victim, connection) {
                    try remove(entry)
                } else {
                    try deleteUnreadable(victim)
                }
                try accounts.book(connection)
                current = try accounts.totals(connection)
            }
        }
        for digest in unreferenced {
            try connection.run("INSERT OR IGNORE INTO loose_files VALUES (?)", digest.hex)
        }
    }

    // MARK: Helpers

    /// Notes that what is known of a URL changes.
    /// - Returns: what the URL is found by.
    @discardableResult
    private func touch(_ url: HTTPURL) -> Int64 {
        let hash = hasher.hash(url.string)
        touched.insert(Generations.slot(of: hash))
        return Int64(bitPattern: hash)
    }

    private func note(_ entry: StoreEntry) throws {
        touch(entry.url)
        try accounts.note(entry.isInline ? .inline(entry.id) : .file(entry.bodyDigest), connection)
    }

    private func existing(_ id: Int64) throws -> StoreEntry {
        guard let entry = try EntryReading.one(id, connection) else {
            throw StoreError(.notFound, "the store has no entry \(id)")
        }
        return entry
    }

    private func all(at url: HTTPURL) throws -> [StoreEntry] {
        try EntryReading.all(url, key: hasher.key(of: url.string), connection)
    }

    private func visibleEntry(at url: HTTPURL, variant: String) throws -> StoreEntry? {
        let id = try connection.first(
            "SELECT id FROM entries WHERE url_hash = ? AND url = ? AND variant = ? AND is_visible = 1",
            hasher.key(of: url.string), url.string, variant
        ) { $0.int64(0) }
        guard let id else { return nil }
        if let entry = try EntryReading.one(id, connection) { return entry }
        try deleteUnreadable(id)
        return nil
    }

    /// A download that is staged again takes the place of what an earlier attempt left.
    private func dropEarlierAttempts(at url: HTTPURL, variant: String, holders: Set<String>) throws {
        for entry in try all(at: url)
        where entry.isStaged && !entry.holders.isDisjoint(with: holders)
            && FieldCoding.variantKey(entry.requestFields) == variant
        {
            if entry.holders.isSubset(of: holders) { try delete(entry) }
            for holder in holders {
                try connection.run("DELETE FROM holds WHERE entry_id = ? AND holder = ?", entry.id, holder)
            }
        }
    }

    private func delete(_ entry: StoreEntry) throws {
        try note(entry)
        try connection.run("DELETE FROM entries WHERE id = ?", entry.id)
    }

    private func deleteUnreadable(_ id: Int64) throws {
        let row = try connection.first("SELECT digest, is_inline, url_hash FROM entries WHERE id = ?", id) {
            (digest: SHA256Digest(hex: $0.string(0)), isInline: $0.bool(1), key: $0.int64(2))
        }
        guard let row else { return }
        touched.insert(Generations.slot(of: UInt64(bitPattern: row.key)))
        if row.isInline {
            try accounts.note(.inline(id), connection)
        } else if let digest = row.digest {
            try accounts.note(.file(digest), connection)
        }
        try connection.run("DELETE FROM entries WHERE id = ?", id)
    }

    private func tellUpdate(of id: Int64) throws {
        let entry = try existing(id)
        if !entry.isStaged { changes.append(.updated(entry)) }
    }
}
