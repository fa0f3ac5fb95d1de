import Cryptography
import Wire

/// One version of a segment on its way to the device, or on it.
///
/// Its counts and its next item are kept as items change: no question about the whole walks over the items.
struct SegmentVersion: Sendable, Hashable {
    let segment: String
    let version: Int
    let manifest: SHA256Digest
    var isActive: Bool
    /// By the URL as the manifest writes it.
    private(set) var items: [String: PlannedItem]
    /// The URLs in the order of download: priority, then size, then name.
    let order: [String]
    /// What the server was told last of the segment's progress.
    var toldProgress: ToldProgress?

    private var counts: [Prepositioner.ItemState: Int]
    private var awaitedCount: Int
    /// No item before this place of the order could be downloaded now.
    private var firstQueued = 0
    /// Items that wait after a failure; also some that have stopped to wait.
    private var retries = RetryQueue()

    /// The part of the progress that is worth telling when it changes.
    struct ToldProgress: Sendable, Hashable {
        var quarter: Int
        var isSettled: Bool
        var isActive: Bool
    }

    /// Of items with the same URL the first counts.
    init(_ document: Manifest, digest: SHA256Digest, isActive: Bool) {
        segment = document.segment
        version = document.version
        manifest = digest
        self.isActive = isActive
        let distinct = Dictionary(document.items.map { ($0.url, $0) }) { first, _ in first }
        let sorted = distinct.values.sorted {
            ($0.priority, $0.byteCount, $0.url) < ($1.priority, $1.byteCount, $1.url)
        }
        order = sorted.map(\.url)
        items = Dictionary(
            uniqueKeysWithValues: sorted.enumerated().map { ($1.url, PlannedItem($1, position: $0)) })
        counts = [.queued: items.count]
        awaitedCount = items.values.count { $0.isAwaited }
    }

    var holder: String { ItemKey.holder(segment, version) }

    /// Whether every item it waits for is on the device.
    var isWhole: Bool { awaitedCount == 0 }

    func key(_ url: String) -> ItemKey { ItemKey(segment: segment, version: version, url: url) }

    func count(_ state: Prepositioner.ItemState) -> Int { counts[state] ?? 0 }

    /// How far it is, in quarters of its items; 4 only when all are there.
    var progress: ToldProgress {
        let ready = count(.ready), failed = count(.failed)
        return ToldProgress(
            quarter: items.isEmpty ? 4 : ready * 4 / items.count, isSettled: ready + failed == items.count,
            isActive: isActive)
    }

    /// Changes an item, if there is one with this URL.
    mutating func update(_ url: String, _ change: (inout PlannedItem) -> Void) {
        guard let old = items[url] else { return }
        var new = old
        change(&new)
        items[url] = new
        counts[old.state, default: 0] -= 1
        counts[new.state, default: 0] += 1
        awaitedCount += (new.isAwaited ? 1 : 0) - (old.isAwaited ? 1 : 0)
        guard new.state == .queued, old.state != .queued || old.notBefore != new.notBefore else { return }
        if let due = new.notBefore {
            retries.insert(RetryQueue.Entry(due: due, position: new.position))
        } else {
            firstQueued = min(firstQueued, new.position)
        }
    }

    /// The first item in the order that may be downloaded now.
    mutating func nextQueued(at uptime: Duration, except isBarred: (PlannedItem) -> Bool) -> PlannedItem? {
        while let retry = nextRetry, retry.due <= uptime {
            retries.removeFirst()
            update(order[retry.position]) { $0.notBefore = nil }
        }
        while firstQueued < order.count, !isQueued(firstQueued) { firstQueued += 1 }
        for position in firstQueued..<order.count where isQueued(position) {
            if let item = items[order[position]], !isBarred(item) { return item }
        }
        return nil
    }

    /// The uptime at which the first of the items that wait after a failure is due again.
    mutating func nextRetryDue() -> Duration? { nextRetry?.due }

    private func isQueued(_ position: Int) -> Bool {
        guard let item = items[order[position]] else { return false }
        return item.state == .queued && item.notBefore == nil
    }

    /// The first item that still waits.
    private var nextRetry: RetryQueue.Entry? {
        mutating get {
            while let first = retries.first {
                let item = items[order[first.position]]
                if item?.state == .queued, item?.notBefore == first.due { return first }
                retries.removeFirst()
            }
            return nil
        }
    }
}
