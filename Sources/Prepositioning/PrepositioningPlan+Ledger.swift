import HTTPModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The ledger: what became of each item, told once.
extension PrepositioningPlan {
    /// The outcomes that an exchange of the app brings to light.
    mutating func exchanged(_ record: ExchangeRecord) -> [PlanAction] {
        let keys = keys(bareURL: record.url)
        switch record.outcome {
        case .pinnedHit, .revalidated, .staleOnError:
            // Records carry no query: of items that differ in the query alone, one is told for each use.
            return record.segments.sorted().flatMap { segment -> [PlanAction] in
                let key = keys.first { key in
                    guard key.segment == segment, !isStaged(key), let item = item(key) else { return false }
                    return item.state == .ready && !item.told.contains(.used)
                }
                guard let key else { return [] }
                return tellOnce(.used, .used, of: key, at: PlanInstant(now: record.date, uptime: .zero))
            }
        case .miss, .failed:
            let awaited = keys.filter { key in target(key.segment)?.version == key.version }
            guard !awaited.contains(where: { item($0)?.state == .ready }) else { return [] }
            return awaited.flatMap {
                tellOnce(.late, .late, of: $0, at: PlanInstant(now: record.date, uptime: .zero))
            }
        case .cacheHit, .passedThrough:
            return []
        }
    }

    /// Tells an outcome unless it has been told of this item.
    mutating func tellOnce(
        _ mark: ToldOutcomes, _ outcome: ItemOutcome.Outcome, of key: ItemKey, at instant: PlanInstant
    ) -> [PlanAction] {
        guard let planned = item(key), !planned.told.contains(mark) else { return [] }
        let told = planned.told.union(mark)
        update(key) { $0.told = told }
        return [
            .saveItem(key, failure: planned.failure, told: told),
            self.outcome(outcome, key, planned.item, at: instant.now),
        ]
    }

    /// What is told of the items of a version that leaves the device.
    func partings(of old: SegmentVersion, for fresh: SegmentVersion?, at instant: PlanInstant) -> [PlanAction] {
        old.order.compactMap { url in
            guard let planned = old.items[url], planned.state == .ready else { return nil }
            let successor = fresh?.items[url]
            guard successor?.item.sha256 != planned.item.sha256 else { return nil }
            let wasUsed = planned.told.contains(.used)
            if wasUsed && successor == nil { return nil }
            return outcome(wasUsed ? .replaced : .unused, old.key(url), planned.item, at: instant.now)
        }
    }

    func outcome(
        _ outcome: ItemOutcome.Outcome, _ key: ItemKey, _ item: Manifest.Item, at now: Date
    ) -> PlanAction {
        .tell(
            .outcome(
                ItemOutcome(
                    segment: key.segment, version: key.version, url: item.url.normalizedURL.bareURL, outcome: outcome,
                    byteCount: item.byteCount, date: now)))
    }

    /// Tells how far a segment is, when a quarter more is there, when it is settled, or when it became active.
    mutating func tellProgress(_ segment: String, at instant: PlanInstant) -> [PlanAction] {
        guard let version = target(segment), version.toldProgress != version.progress else { return [] }
        setToldProgress(version.progress, of: segment)
        let progress = SegmentProgress(
            segment: segment, version: version.version, itemsReady: version.count(.ready),
            itemsFailed: version.count(.failed), itemsTotal: version.items.count, isActive: version.isActive,
            date: instant.now)
        return [.tell(.progress(progress))]
    }
}

extension String {
    /// The normal form of a URL, by which the store and the app's requests name it; the text itself when it is none.
    var normalizedURL: String { httpURL?.string ?? self }

    var httpURL: HTTPURL? { HTTPURL(self) }

    /// The URL without its query, which may hold secrets.
    var bareURL: String { String(prefix { $0 != "?" }) }
}
