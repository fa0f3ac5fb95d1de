/// The limits of a store.
struct StoreBudgets: Sendable {
    /// What opportunistic entries may take for their own fields and URLs before that counts towards their budget.
    static let freeOwnByteCount: Int64 = 1 << 20

    var pinnedByteCountMax: Int64
    var opportunisticByteCountMax: Int64
}
