import HTTPModel

extension CacheDecision {
    /// One step of the reasoning, in words a newcomer understands, with its arithmetic.
    ///
    /// A step is kept as data and put into words only when somebody reads it, so that a hit pays nothing for it.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        let step: Step

        init(_ step: Step) { self.step = step }

        /// Creates a reason from words of the caller's own.
        public init(_ text: String, _ reference: String = "") { step = .words(text, reference) }

        /// For people: "fresh: 120 s old, good for 3600 s (Cache-Control: max-age)".
        public var text: String { step.text }

        /// Where the rule comes from, such as "RFC 9111 §4.2"; empty for the product's own rules.
        public var reference: String { step.reference }

        public var description: String { reference.isEmpty ? text : "\(text) [\(reference)]" }

        /// Whether the entry was past its lifetime.
        var saysStale: Bool {
            if case .stale = step { return true }
            return false
        }

        /// Whether the request asked for the way to the origin.
        var isWishOfRequest: Bool {
            switch step {
            case .requestNoCache, .olderThanRequestMaxAge, .tooSoonStale: true
            default: false
            }
        }
    }
}

/// The steps that are made often enough to be data.
enum Step: Sendable, Hashable {
    case words(String, String)
    case nothingStored
    case noVariant(stored: Int)
    case offeringTags
    case partOnly
    case completing(String)
    case newestOf(matching: Int)
    case fresh(Freshness)
    case stale(Freshness)
    case invalidated
    case responseNoCache
    case storedNoStore
    case requestNoCache(isPragma: Bool)
    case olderThanRequestMaxAge(age: Int, limit: Int)
    case tooSoonStale(wanted: Int, left: Int)
    case immutable
    case maxStale(allowed: Int?, staleness: Int)
    case beyondMaxStale(allowed: Int, staleness: Int)
    case staleWhileRevalidate(allowed: Int, staleness: Int)
    case beyondStaleWhileRevalidate(allowed: Int, staleness: Int)
    case mustRevalidate
    case validators(hasTag: Bool, hasDate: Bool)
    case noValidator

    var text: String {
        switch self {
        case .words(let text, _): text
        case .nothingStored: "nothing is stored for this URL"
        case .noVariant(let count):
            "\(count) stored, but none was made for a request with these fields (Vary)"
        case .offeringTags:
            "the origin is told the tags of those, and may say that one of them is right (If-None-Match)"
        case .partOnly: "only a part of it is stored, and not the part that is wanted"
        case .completing(let range): "what is missing is fetched and put together with it (Range: \(range))"
        case .newestOf(let count): "\(count) stored responses suit the request; the newest is taken"
        case .fresh(let freshness):
            "fresh: \(freshness.ageText), good for \(freshness.lifetime) s (\(freshness.basis.text))"
        case .stale(let freshness):
            "stale by \(freshness.staleness) s: \(freshness.ageText), good for \(freshness.lifetime) s "
                + "(\(freshness.basis.text))"
        case .invalidated: "a request that changes the resource has gone through since it was stored"
        case .responseNoCache: "the origin wants to be asked before each use (Cache-Control: no-cache)"
        case .storedNoStore: "the origin no longer lets it be stored (Cache-Control: no-store)"
        case .requestNoCache(let isPragma):
            "the request wants the origin to be asked (\(isPragma ? "Pragma" : "Cache-Control"): no-cache)"
        case .olderThanRequestMaxAge(let age, let limit):
            "the request takes nothing \(limit) s old or older, and it is \(age) s old (Cache-Control: max-age)"
        case .tooSoonStale(let wanted, let left):
            "the request wants it fresh for \(wanted) s more, and \(left) s are left (Cache-Control: min-fresh)"
        case .immutable: "it does not change while it is fresh, so a reload need not ask (Cache-Control: immutable)"
        case .maxStale(let allowed?, let staleness):
            "the request takes it up to \(allowed) s stale, and it is \(staleness) s (Cache-Control: max-stale)"
        case .maxStale(nil, let staleness):
            "the request takes it however stale, and it is \(staleness) s (Cache-Control: max-stale)"
        case .beyondMaxStale(let allowed, let staleness):
            "the request takes it up to \(allowed) s stale only, and it is \(staleness) s (Cache-Control: max-stale)"
        case .staleWhileRevalidate(let allowed, let staleness):
            "the origin lets it be used up to \(allowed) s stale while it is asked behind the answer, and it is "
                + "\(staleness) s (Cache-Control: stale-while-revalidate)"
        case .beyondStaleWhileRevalidate(let allowed, let staleness):
            "the origin lets it be used up to \(allowed) s stale only, and it is \(staleness) s "
                + "(Cache-Control: stale-while-revalidate)"
        case .mustRevalidate: "the origin forbids stale use (Cache-Control: must-revalidate)"
        case .validators(let hasTag, let hasDate):
            "the origin is asked whether it has changed since ("
                + [hasTag ? "If-None-Match" : nil, hasDate ? "If-Modified-Since" : nil].compactMap(\.self)
                .joined(separator: ", ") + ")"
        case .noValidator: "it has neither ETag nor Last-Modified to ask about, so it is fetched whole"
        }
    }

    var reference: String {
        switch self {
        case .words(_, let reference): reference
        case .nothingStored: "RFC 9111 §4"
        case .offeringTags: "RFC 9111 §4.3.1"
        case .partOnly: "RFC 9111 §3.3"
        case .completing: "RFC 9111 §3.4"
        case .noVariant, .newestOf: "RFC 9111 §4.1"
        case .fresh(let freshness), .stale(let freshness): freshness.basis.reference
        case .invalidated: "RFC 9111 §4.4"
        case .responseNoCache: "RFC 9111 §5.2.2.4"
        case .storedNoStore: "RFC 9111 §5.2.2.5"
        case .requestNoCache(let isPragma): isPragma ? "RFC 9111 §5.4" : "RFC 9111 §5.2.1.4"
        case .olderThanRequestMaxAge: "RFC 9111 §5.2.1.1"
        case .tooSoonStale: "RFC 9111 §5.2.1.3"
        case .immutable: "RFC 8246 §2"
        case .maxStale, .beyondMaxStale: "RFC 9111 §5.2.1.2"
        case .staleWhileRevalidate, .beyondStaleWhileRevalidate: "RFC 5861 §3"
        case .mustRevalidate: "RFC 9111 §5.2.2.2"
        case .validators: "RFC 9111 §4.3.1"
        case .noValidator: "RFC 9111 §4.3.1"
        }
    }
}
