import Wire

/// What the ledger of outcomes has been told of an item, so that each is told once.
struct ToldOutcomes: OptionSet, Sendable, Hashable {
    var rawValue: Int

    static let prepositioned = ToldOutcomes(rawValue: 1)
    static let used = ToldOutcomes(rawValue: 2)
    static let late = ToldOutcomes(rawValue: 4)
    static let failed = ToldOutcomes(rawValue: 8)
}

/// One item of a segment version with where it stands.
struct PlannedItem: Sendable, Hashable {
    let item: Manifest.Item
    /// Its place in the order of download.
    let position: Int
    var state = Prepositioner.ItemState.queued
    var bytesReceived: Int64 = 0
    /// Failed tries in this sync.
    var failedAttempts = 0
    /// The uptime before which it is not tried again.
    var notBefore: Duration?
    var failure: String?
    /// The policy keeps it from the device: nobody waits for it.
    var isSkipped = false
    /// The store's entry when it became ready; the store may have replaced it by another one since.
    var entryID: Int64?
    var told: ToldOutcomes = []
    /// What the app was told since the item was on the device last, by ``ItemChange``.
    var changesTold: Set<ItemChange.Kind> = []

    init(_ item: Manifest.Item, position: Int) {
        self.item = item
        self.position = position
    }

    /// Whether a segment version waits for it before it becomes active.
    var isAwaited: Bool { item.isEssential && state != .ready && !isSkipped }

    /// Goes back to the queue as if it had never been tried.
    mutating func requeue() {
        state = .queued
        bytesReceived = 0
        failedAttempts = 0
        notBefore = nil
        isSkipped = false
        entryID = nil
    }
}
