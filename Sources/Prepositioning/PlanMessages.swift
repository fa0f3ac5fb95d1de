import Cryptography
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What happens to a ``PrepositioningPlan``.
enum PlanEvent: Sendable {
    /// The app replaces the set of segments.
    case subscribed(Set<String>)
    /// The app wants other things otherwise than the release.
    case overridden(PolicyOverrides)
    /// A sync begins: what failed before is tried again.
    case syncBegan
    /// A release is in force, with the versions of its subscribed segments whose manifests are at hand.
    case released(Release, [SegmentVersion])
    /// The store has the item; nothing was downloaded.
    case reused(ItemKey, entryID: Int64, isVisible: Bool)
    /// Its download begins, or goes on.
    case started(ItemKey)
    case progressed(ItemKey, bytesReceived: Int64)
    /// The item has been downloaded and is in the store.
    case stored(ItemKey, entryID: Int64)
    case failed(ItemKey, DownloadFailure, retryDelay: Duration?)
    /// The transfer was given up for no fault of the item.
    case interrupted(ItemKey)
    /// The store has made the pending version visible.
    case activated(segment: String, version: Int)
    /// The store has lost an entry that a segment version held.
    case evicted(url: String, holder: String)
    case exchanged(ExchangeRecord)
    /// Everything is dropped.
    case unregistered
}

/// What a ``PrepositioningPlan`` asks for, in this order.
enum PlanAction: Sendable, Hashable {
    /// Make a version visible in the store in place of older ones; then tell the plan.
    case activate(segment: String, version: Int, replacing: Set<String>)
    /// Drop what versions hold, from the store and from the journal; or leave the entries to the opportunistic budget.
    case release([SegmentVersionName], keepsEntries: Bool = false)
    /// Keep in the journal that a version is wanted or active.
    case saveVersion(SegmentVersionName, isActive: Bool)
    /// Keep in the journal where an item stands.
    case saveItem(ItemKey, failure: String?, told: ToldOutcomes)
    case tell(TelemetryItem)
    /// Tell the app, in this order.
    case change(ItemChange)
}

/// Names one segment version.
struct SegmentVersionName: Sendable, Hashable {
    var segment: String
    var version: Int

    var holder: String { ItemKey.holder(segment, version) }
}

/// The clocks at the moment of an event.
struct PlanInstant: Sendable, Hashable {
    var now: Date
    var uptime: Duration
}
