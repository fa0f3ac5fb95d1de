import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An item as it is kept: the document's bytes.
struct EncodedItem: Sendable, Hashable {
    var payload: Data
}

/// Items that have been given a batch id and keep it until they are acknowledged.
struct StoredBatch: Sendable, Hashable {
    var id: String
    var createdAt: Date
    var items: [TelemetryItem]
    var losses: [String: Int]
}

/// The bounds of what is kept; see ``TelemetryQueue/Configuration``.
struct TelemetryLimits: Sendable, Hashable {
    var itemCountMax: Int
    var byteCountMax: Int64
    var batchItemCountMax: Int
    var batchByteCountMax: Int64

    /// A batch on its way is never cut, so that it may take half of the queue at most.
    init(_ configuration: TelemetryQueue.Configuration) {
        itemCountMax = max(configuration.itemCountMax, 2)
        byteCountMax = max(configuration.byteCountMax, 1_024)
        batchItemCountMax = min(max(configuration.batchItemCountMax, 1), itemCountMax / 2)
        batchByteCountMax = min(1 << 20, byteCountMax / 2)
    }

    /// A single item may take a quarter of the queue and half of a batch at most.
    var itemByteCountMax: Int { Int(clamping: min(batchByteCountMax / 2, byteCountMax / 4)) }
}

/// Where a queue keeps its items. Used by one thread at a time.
protocol TelemetryStorage: Sendable {
    /// Items kept, those of a batch on its way included.
    func count() throws -> Int
    /// Adds items, durably if the storage is durable, and drops the oldest ones beyond the bounds.
    /// - Parameter events: timed events by id, to be kept as they are, or no longer when `nil`; in one with the items.
    func append(_ items: [EncodedItem], losses: [String: Int], events: [String: StoredEvent?]) throws
    /// Keeps timed events no longer: another queue on the same directory may take them up.
    func leaveEvents()
    /// The batch that waits for its acknowledgement, else one cut from the oldest items; `nil` when there is nothing to send.
    func nextBatch(now: Date, makeID: () -> String) throws -> StoredBatch?
    /// The server has the batch.
    func acknowledge(_ id: String) throws
    /// The server will never take the batch: its items are lost and counted.
    func reject(_ id: String) throws
}

/// Reasons for a loss, as they stand in ``TelemetryBatch/losses``.
enum LossReason {
    static let queueFull = "queueFull"
    static let unreadable = "unreadable"
    static let rejected = "rejected"
    static let itemTooLarge = "itemTooLarge"
    static let notEncodable = "notEncodable"
    /// The whole queue was unreadable and has been set aside; how many items it held is not known.
    static let queueBroken = "queueBroken"
}
