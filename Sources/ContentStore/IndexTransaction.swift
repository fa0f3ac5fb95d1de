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
/// books the difference, evicts, and finds the bodies that nobody refers to any more.
final class IndexTransaction {
    private struct Standing: Equatable {
        var isPinned: Bool
        var byteCount: Int64
    }

    let connection: SQLiteConnection
    /// What to tell once the transaction is committed.
    private(set) var changes: [StoreChange] = []
    /// Bodies that lost their last entry.
    private(set) var unreferenced: Set<SHA256Digest> = []
    private var before: [SHA256Digest: Standing?] = [:]

    init(_ connection: SQLiteConnection) { self.connection = connection }

    // MARK: Operations

    /// Adds an entry; a visible one replaces the visible entry of the same URL and variant and takes over its holders.
    func insert(_ draft: EntryDraft, digest: SHA256Digest, byteCount: Int64, holder: String?, isStaged: Bool, now: Date)
        throws -> StoreEntry
    {
        try note(digest)
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
            INSERT INTO entries (url, variant, is_visible, is_pinned, status, fields, request_time, response_time,
                last_used, digest, byte_count)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, draft.url.string, variant, isStaged ? nil : 1, !holders.isEmpty, draft.response.status,
            FieldCoding.encode(request: draft.requestFields, response: draft.response.fields),
            draft.requestTime.timeIntervalSince1970, draft.responseTime.timeIntervalSince1970,
            now.timeIntervalSince1970, digest.hex, byteCount)
        let id = connection.lastInsertedRowID
        for holder in holders { try connection.run("INSERT INTO holds VALUES (?, ?)", id, holder) }
        let entry = try existing(id)
        if !isStaged { changes.append(isReplacement ? .updated(entry) : .added(entry)) }
        return entry
    }

    /// Adds a holder to an entry.
    func hold(_ id: Int64, holder: String) throws {
        let entry = try existing(id)
        try note(entry.bodyDigest)
        try connection.run("INSERT OR IGNORE INTO holds VALUES (?, ?)", id, holder)
        try connection.run("UPDATE entries SET is_pinned = 1 WHERE id = ?", id)
    }

    /// Gives an entry new fields and times, which also ends its invalidation.
    func update(_ id: Int64, fields: HTTPFields, requestTime: Date, responseTime: Date) throws {
        let entry = try existing(id)
        try connection.run(
            """
            UPDATE entries SET fields = ?, request_time = ?, response_time = ?, is_invalidated = 0 WHERE id = ?
            """, FieldCoding.encode(request: entry.requestFields, response: fields),
            requestTime.timeIntervalSince1970, responseTime.timeIntervalSince1970, id)
        try tellUpdate(of: id)
    }

    /// Marks every entry of a URL, staged ones too.
    func invalidate(_ url: HTTPURL) throws {
        let entries = try EntryReading.all(url, connection).filter { !$0.isInvalidated }
        for entry in entries {
            try connection.run("UPDATE entries SET is_invalidated = 1 WHERE id = ?", entry.id)
            try tellUpdate(of: entry.id)
        }
    }

    /// Removes an entry.
    func remove(_ entry: StoreEntry) throws {
        try delete(entry)
        if !entry.isStaged { changes.append(.removed(url: entry.url, holders: entry.holders)) }
    }

    /// Makes the staged entries of a holder visible, in the place of those with the same URL and variant.
    func activate(_ holder: String, replacing oldHolders: Set<String>) throws {
        for entry in try EntryReading.heldBy(holder, connection) where entry.isStaged {
            try note(entry.bodyDigest)
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

    /// Drops holders; entries that nobody holds any more go.
    func release(_ holders: Set<String>) throws {
        for holder in holders {
            for entry in try EntryReading.heldBy(holder, connection) {
                if entry.holders.isSubset(of: holders) {
                    try remove(entry)
                } else {
                    try connection.run("DELETE FROM holds WHERE entry_id = ? AND holder = ?", entry.id, holder)
                }
            }
        }
    }

    /// Writes down when entries were used last.
    func noteUses(_ uses: [Int64: Date]) throws {
        for (id, date) in uses {
            try connection.run(
                "UPDATE entries SET last_used = max(last_used, ?) WHERE id = ?", date.timeIntervalSince1970, id)
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

    // MARK: Accounts

    /// Whether an entry has a body.
    func isReferenced(_ digest: SHA256Digest) throws -> Bool { try standing(of: digest) != nil }

    /// Books what the operations changed and evicts the least recently used until the opportunistic limits are kept.
    /// - Parameter keptID: the entry that has just been added, which is not evicted for its own sake.
    /// - Throws: ``StoreError/Code/overBudget`` when pinned bytes grew beyond their budget.
    func settle(budgets: StoreBudgets, keeping keptID: Int64?) throws {
        let pinnedBefore = try totals().pinned
        try book()
        var current = try totals()
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
            guard !victims.isEmpty else { return }
            for victim in victims where current.exceeds(budgets) {
                if let entry = try EntryReading.one(victim, connection) {
                    try remove(entry)
                } else {
                    try deleteUnreadable(victim)
                }
                try book()
                current = try totals()
            }
        }
    }

    /// Remembers how a body stands before its entries change.
    private func note(_ digest: SHA256Digest) throws {
        if !before.keys.contains(digest) { before.updateValue(try standing(of: digest), forKey: digest) }
    }

    private func book() throws {
        var pinned: Int64 = 0, opportunistic: Int64 = 0
        func count(_ standing: Standing?, _ sign: Int64) {
            guard let standing else { return }
            if standing.isPinned {
                pinned += sign * standing.byteCount
            } else {
                opportunistic += sign * standing.byteCount
            }
        }
        for (digest, old) in before {
            let new = try standing(of: digest)
            count(old, -1)
            count(new, 1)
            if new == nil { unreferenced.insert(digest) } else { unreferenced.remove(digest) }
        }
        before.removeAll()
        guard pinned != 0 || opportunistic != 0 else { return }
        try connection.run(
            """
            UPDATE totals SET pinned_byte_count = pinned_byte_count + ?,
                opportunistic_byte_count = opportunistic_byte_count + ?
            """, pinned, opportunistic)
    }

    private func standing(of digest: SHA256Digest) throws -> Standing? {
        try connection.first("SELECT max(is_pinned), max(byte_count) FROM entries WHERE digest = ?", digest.hex) {
            row in
            row.isNull(0) ? nil : Standing(isPinned: row.bool(0), byteCount: row.int64(1))
        } ?? nil
    }

    private struct Totals {
        var pinned: Int64 = 0
        var opportunistic: Int64 = 0
        var opportunisticEntryCount = 0

        func exceeds(_ budgets: StoreBudgets) -> Bool {
            opportunistic > budgets.opportunisticByteCountMax
                || opportunisticEntryCount > budgets.opportunisticEntryCountMax
        }
    }

    private func totals() throws -> Totals {
        try connection.first("SELECT \(StoreSchema.totalColumns) FROM totals") {
            Totals(pinned: $0.int64(0), opportunistic: $0.int64(1), opportunisticEntryCount: $0.int(2))
        } ?? Totals()
    }

    // MARK: Helpers

    private func existing(_ id: Int64) throws -> StoreEntry {
        guard let entry = try EntryReading.one(id, connection) else {
            throw StoreError(.notFound, "the store has no entry \(id)")
        }
        return entry
    }

    private func visibleEntry(at url: HTTPURL, variant: String) throws -> StoreEntry? {
        let id = try connection.first(
            "SELECT id FROM entries WHERE url = ? AND variant = ? AND is_visible = 1", url.string, variant
        ) { $0.int64(0) }
        guard let id else { return nil }
        if let entry = try EntryReading.one(id, connection) { return entry }
        try deleteUnreadable(id)
        return nil
    }

    /// A download that is staged again takes the place of what an earlier attempt left.
    private func dropEarlierAttempts(at url: HTTPURL, variant: String, holders: Set<String>) throws {
        for entry in try EntryReading.all(url, connection)
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
        try note(entry.bodyDigest)
        try connection.run("DELETE FROM entries WHERE id = ?", entry.id)
    }

    private func deleteUnreadable(_ id: Int64) throws {
        let digest = try connection.first("SELECT digest FROM entries WHERE id = ?", id) { $0.string(0) }
        if let digest = digest.flatMap({ SHA256Digest(hex: $0) }) { try note(digest) }
        try connection.run("DELETE FROM entries WHERE id = ?", id)
    }

    private func tellUpdate(of id: Int64) throws {
        let entry = try existing(id)
        if !entry.isStaged { changes.append(.updated(entry)) }
    }
}
