import HTTPModel
import Wire

/// How many downloads run at once.
///
/// As many as the policy allows, each in a place of its own. Small bodies share one where their connection carries many
/// exchanges at once (HTTP/2 and 3), and there the end of a large one gives way to the next: the link would be idle for a
/// round trip at every turn otherwise.
struct DownloadPlaces: Sendable {
    /// The bytes that share a place.
    static let sharedByteCount: Int64 = 64 << 10
    /// Most bodies in one place.
    private static let shareCountMax: Int64 = 16

    /// The origins whose last answer came over a connection that carries many exchanges.
    private var multiplexed: Set<String> = []
    private var taken: [ItemKey: Int64] = [:]
    private var takenTotal: Int64 = 0

    /// Remembers how an origin was reached.
    mutating func note(_ url: HTTPURL, httpVersion: String) {
        if ["2", "3"].contains(httpVersion) { multiplexed.insert(url.origin) } else { multiplexed.remove(url.origin) }
    }

    /// Whether an item may be downloaded beside those that are.
    /// - Parameter placeCount: what the policy allows.
    func fits(_ item: Manifest.Item, placeCount: Int) -> Bool {
        takenTotal + share(of: item) <= Int64(max(1, placeCount)) * Self.sharedByteCount
    }

    mutating func take(_ key: ItemKey, _ item: Manifest.Item) {
        free(key)
        taken[key] = share(of: item)
        takenTotal += share(of: item)
    }

    /// Notes how much of an item is still to come.
    /// - Returns: whether that makes room for another one.
    mutating func progress(_ key: ItemKey, _ item: Manifest.Item, bytesReceived: Int64) -> Bool {
        let remaining = max(0, item.byteCount - bytesReceived)
        guard remaining < Self.sharedByteCount, let old = taken[key], remaining < old, isMultiplexed(item) else {
            return false
        }
        taken[key] = remaining
        takenTotal -= old - remaining
        return true
    }

    mutating func free(_ key: ItemKey) { takenTotal -= taken.removeValue(forKey: key) ?? 0 }

    /// What an item takes of a place's bytes.
    private func share(of item: Manifest.Item) -> Int64 {
        guard item.byteCount < Self.sharedByteCount, isMultiplexed(item) else { return Self.sharedByteCount }
        return max(item.byteCount, Self.sharedByteCount / Self.shareCountMax)
    }

    private func isMultiplexed(_ item: Manifest.Item) -> Bool {
        HTTPURL(item.url).map { multiplexed.contains($0.origin) } ?? false
    }
}
