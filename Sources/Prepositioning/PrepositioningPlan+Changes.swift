import Wire

/// What the app is told of items, each thing once.
extension PrepositioningPlan {
    /// A change of items; nothing for none.
    func change(_ kind: ItemChange.Kind, _ keys: [ItemKey]) -> [PlanAction] {
        let items = keys.compactMap { key in
            version(SegmentVersionName(segment: key.segment, version: key.version))?.status(of: key.url)
        }
        return items.isEmpty ? [] : [.change(ItemChange(kind, items))]
    }

    /// The items of a version that neither the active version nor one on its way has with the same bytes.
    func discoveries(in fresh: SegmentVersion) -> [ItemKey] {
        let known = [active[fresh.segment], pending[fresh.segment]].compactMap { $0 }
        return fresh.order.filter { url in
            !known.contains { $0.items[url] != nil && $0.items[url]?.item.sha256 == fresh.items[url]?.item.sha256 }
        }.map(fresh.key)
    }

    /// Tells of items that can be read from now on, in other segments too.
    mutating func tellArrivals(_ keys: [ItemKey]) -> [PlanAction] {
        let sharers = keys.flatMap { key in
            self.keys(bareURL: key.url.normalizedURL.bareURL).filter { other in
                item(other)?.state == .ready && item(other)?.item.sha256 == item(key)?.item.sha256
                    && other.url.normalizedURL == key.url.normalizedURL
            }
        }
        return tellOnce(.downloaded, keys + sharers.filter { $0.segment != keys.first?.segment })
    }

    /// The items of a version that are on the device.
    func ready(in version: SegmentVersion) -> [ItemKey] {
        version.order.filter { version.items[$0]?.state == .ready }.map(version.key)
    }

    /// What leaves the device with versions that the plan has let go of: all that was told to be there, once for each URL.
    func evictions(_ dropped: [SegmentVersion]) -> [PlanAction] {
        var urls: Set<String> = []
        let gone = dropped.flatMap { version in
            version.order.filter { url in
                guard let item = version.items[url], item.isToldVisible, !isVisible(url) else { return false }
                return urls.insert(url.normalizedURL).inserted
            }.compactMap(version.status)
        }
        return gone.isEmpty ? [] : [.change(ItemChange(.evicted, gone))]
    }

    /// The store has lost an item of one segment; another one may still hear of it.
    func eviction(of key: ItemKey) -> [PlanAction] { isVisible(key.url) ? [] : change(.evicted, [key]) }

    /// The download of an item begins; that it goes on after an interruption or a failure is not told.
    mutating func started(_ key: ItemKey) -> [PlanAction] {
        guard item(key)?.state == .downloading else { return [] }
        return tellOnce(.startedDownloading, [key])
    }

    mutating func tellFailures(_ keys: [ItemKey]) -> [PlanAction] { tellOnce(.failed, keys) }

    private mutating func tellOnce(_ kind: ItemChange.Kind, _ keys: [ItemKey]) -> [PlanAction] {
        var untold: [ItemKey] = []
        for key in keys where item(key)?.changesTold.contains(kind) == false {
            update(key) { $0.changesTold.insert(kind) }
            untold.append(key)
        }
        return change(kind, untold)
    }

    /// Whether a segment has the item, and the app knows that it can be read.
    private func isVisible(_ url: String) -> Bool {
        let normalized = url.normalizedURL
        return keys(bareURL: normalized.bareURL).contains { key in
            key.url.normalizedURL == normalized && item(key)?.isToldVisible == true
        }
            // A version that was overtaken holds what it has until it is let go of.
            || superseded.values.joined().contains { $0.items[url]?.isToldVisible == true }
    }
}

extension PlannedItem {
    /// Whether the app knows that it can be read.
    fileprivate var isToldVisible: Bool { state == .ready && changesTold.contains(.downloaded) }
}

extension SegmentVersion {
    /// Where an item stands, for the app; `nil` when there is none with this URL.
    func status(of url: String) -> Prepositioner.ItemStatus? {
        items[url].map { planned in
            Prepositioner.ItemStatus(
                segment: segment, version: version, url: url, state: planned.state, byteCount: planned.item.byteCount,
                bytesReceived: planned.bytesReceived, isEssential: planned.item.isEssential, failure: planned.failure)
        }
    }
}
