/// The limits of a store.
struct StoreBudgets: Sendable {
    var pinnedByteCountMax: Int64
    var opportunisticByteCountMax: Int64
    /// Bounds the index: entries with empty or shared bodies take no bytes of the budget.
    var opportunisticEntryCountMax = 20_000
}
