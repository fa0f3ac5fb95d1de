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

    /// The items that become visible with a version and were not on the device with the one before.
    func arrivals(in fresh: SegmentVersion, after old: SegmentVersion?) -> [ItemKey] {
        fresh.order.filter { url in
            guard let planned = fresh.items[url], planned.state == .ready else { return false }
            guard let before = old?.items[url], before.state == .ready else { return true }
            return before.item.sha256 != planned.item.sha256
        }.map(fresh.key)
    }

    /// What leaves the device with versions that the plan has let go of: all that no visible version has.
    func evictions(_ dropped: [SegmentVersion]) -> [PlanAction] {
        let gone = dropped.filter(\.isActive).flatMap { version in
            version.order.filter { version.items[$0]?.state == .ready && !isVisible($0) }.compactMap(version.status)
        }
        return gone.isEmpty ? [] : [.change(ItemChange(.evicted, gone))]
    }

    /// The download of an item begins; that it goes on after an interruption or a failure is not told.
    mutating func started(_ key: ItemKey) -> [PlanAction] {
        guard item(key)?.state == .downloading else { return [] }
        return tellOnce(.startedDownloading, [key])
    }

    mutating func tellFailures(_ keys: [ItemKey]) -> [PlanAction] { tellOnce(.failed, keys) }

    private mutating func tellOnce(_ kind: ItemChange.Kind, _ keys: [ItemKey]) -> [PlanAction] {
        let untold = keys.filter { item($0)?.changesTold.contains(kind) == false }
        for key in untold { update(key) { $0.changesTold.insert(kind) } }
        return change(kind, untold)
    }

    private func isVisible(_ url: String) -> Bool {
        let normalized = url.normalizedURL
        return keys(bareURL: normalized.bareURL).contains { key in
            key.url.normalizedURL == normalized && !isStaged(key) && item(key)?.state == .ready
        }
    }
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
