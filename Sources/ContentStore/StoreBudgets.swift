/// The byte limits of a store, and what of them is taken.
struct StoreBudgets: Sendable {
    var pinnedByteCountMax: Int64
    var opportunisticByteCountMax: Int64
}
