/// An entry that is to be stored with others, as by ``ContentStore/commit(_:body:holder:isStaged:)``.
public struct EntryCommit: Sendable {
    public var draft: EntryDraft
    public var body: BodyWriter
    public var holder: String?
    public var isStaged: Bool

    /// Creates a value.
    public init(draft: EntryDraft, body: BodyWriter, holder: String?, isStaged: Bool) {
        self.draft = draft
        self.body = body
        self.holder = holder
        self.isStaged = isStaged
    }
}

extension ContentStore {
    /// Stores several entries.
    /// - Returns: the entries in the same order.
    public func commit(_ commits: [EntryCommit]) throws(StoreError) -> [StoreEntry] {
        var entries: [StoreEntry] = []
        for one in commits {
            entries.append(try commit(one.draft, body: one.body, holder: one.holder, isStaged: one.isStaged))
        }
        return entries
    }

    /// Adds holders to existing entries in one transaction; no bytes move.
    /// - Throws: ``StoreError/Code/notFound``; ``StoreError/Code/overBudget`` when pinned content has no room. Nothing is held
    ///   then.
    public func hold(_ holds: [(entryID: Int64, holder: String)]) throws(StoreError) {
        try index.write { transaction in
            for one in holds { try transaction.hold(one.entryID, holder: one.holder) }
        }
    }
}
