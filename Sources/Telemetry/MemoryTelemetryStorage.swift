import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Items in memory, for devices whose disk cannot be used: gone with the process.
final class MemoryTelemetryStorage: TelemetryStorage {
    private struct State {
        var items: [EncodedItem] = []
        var byteCount: Int64 = 0
        var losses: [String: Int] = [:]
        var batch: StoredBatch?
    }

    private let limits: TelemetryLimits
    private let state = Locked(State())

    init(limits: TelemetryLimits) { self.limits = limits }

    func count() -> Int { state.withLock { $0.items.count + ($0.batch?.items.count ?? 0) } }

    /// Timed events need no keeping: they are in memory already.
    func append(_ items: [EncodedItem], losses: [String: Int], events: [String: StoredEvent?]) {
        state.withLock { state in
            state.losses.merge(losses, uniquingKeysWith: +)
            state.items += items
            state.byteCount += items.reduce(0) { $0 + Int64($1.payload.count) }
            let countMax = limits.itemCountMax - (state.batch?.items.count ?? 0)
            var dropped = 0
            while dropped < state.items.count,
                state.items.count - dropped > countMax || state.byteCount > limits.byteCountMax
            {
                state.byteCount -= Int64(state.items[dropped].payload.count)
                dropped += 1
            }
            guard dropped > 0 else { return }
            state.items.removeFirst(dropped)
            state.losses[LossReason.queueFull, default: 0] += dropped
        }
    }

    func leaveEvents() {}

    func nextBatch(now: Date, makeID: () -> String) -> StoredBatch? {
        if let batch = state.withLock({ $0.batch }) { return batch }
        let id = makeID()
        return state.withLock { state in
            var taken: [EncodedItem] = []
            var byteCount: Int64 = 0
            for item in state.items.prefix(limits.batchItemCountMax) {
                guard byteCount + Int64(item.payload.count) <= limits.batchByteCountMax else { break }
                byteCount += Int64(item.payload.count)
                taken.append(item)
            }
            guard !taken.isEmpty else { return nil }
            state.items.removeFirst(taken.count)
            state.byteCount -= byteCount
            let batch = StoredBatch(
                id: id, createdAt: now, items: taken.compactMap { $0.decoded() }, losses: state.losses)
            state.losses = [:]
            state.batch = batch
            return batch
        }
    }

    func acknowledge(_ id: String) {
        state.withLock { if $0.batch?.id == id { $0.batch = nil } }
    }

    func reject(_ id: String) {
        state.withLock { state in
            guard let batch = state.batch, batch.id == id else { return }
            state.losses.merge(batch.losses, uniquingKeysWith: +)
            state.losses[LossReason.rejected, default: 0] += batch.items.count
            state.batch = nil
        }
    }
}

extension EncodedItem {
    /// The item; `nil` when the bytes are not one, which the caller counts.
    func decoded() -> TelemetryItem? {
        do { return try WireCoding.decode(TelemetryItem.self, from: payload) } catch { return nil }
    }
}
