import Cryptography
import Wire

/// One version of a segment on its way to the device, or on it.
struct SegmentVersion: Sendable, Hashable {
    let segment: String
    let version: Int
    let manifest: SHA256Digest
    var isActive: Bool
    /// By the URL as the manifest writes it.
    var items: [String: PlannedItem]
    /// The URLs in the order of download: priority, then size, then name.
    let order: [String]
    /// What the server was told last of the segment's progress.
    var toldProgress: ToldProgress?

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
        items = Dictionary(document.items.map { ($0.url, PlannedItem($0)) }) { first, _ in first }
        order = items.values.map(\.item)
            .sorted { ($0.priority, $0.byteCount, $0.url) < ($1.priority, $1.byteCount, $1.url) }
            .map(\.url)
    }

    var holder: String { ItemKey.holder(segment, version) }

    /// Whether every item it waits for is on the device.
    var isWhole: Bool { !items.values.contains { $0.isAwaited } }

    func key(_ url: String) -> ItemKey { ItemKey(segment: segment, version: version, url: url) }

    func count(_ state: Prepositioner.ItemState) -> Int { items.values.count { $0.state == state } }

    /// How far it is, in quarters of its items; 4 only when all are there.
    var progress: ToldProgress {
        let ready = count(.ready), failed = count(.failed)
        return ToldProgress(
            quarter: items.isEmpty ? 4 : ready * 4 / items.count, isSettled: ready + failed == items.count,
            isActive: isActive)
    }
}
