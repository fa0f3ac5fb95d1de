public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPCache {
    /// Whether a stored entry may answer after all because the origin failed (RFC 5861, section 4; RFC 9111, section 4.2.4;
    /// pinned content); `nil` when it may not. The entry is chosen from `stored` as in `decide`.
    ///
    /// - A request's `no-cache` always stands against it, and so does an invalidated entry.
    /// - A pinned entry answers when the origin is unreachable, or a gateway says so (502, 503, 504): the operator has
    ///   published it for that, which outweighs `must-revalidate` and `no-cache` of the response and the request's `max-age`
    ///   and `min-fresh`. ``CachingPolicy/servesPinnedWhenUnreachable`` switches this off.
    /// - Any other entry obeys `must-revalidate`, `no-cache` and the request's limits. Within these it answers on
    ///   `stale-if-error` (500, 502, 503, 504, or unreachable), the request's before the response's; and without it when the
    ///   origin is unreachable, for the cache is then disconnected.
    public static func fallback(
        after failure: ForwardFailure, now: Date, request: HTTPRequest, stored: [StoredResponse], policy: CachingPolicy
    ) -> CacheDecision? {
        guard request.method == .get || request.method == .head, !request.fields.contains(.ifMatch),
            !request.fields.contains(.ifUnmodifiedSince)
        else { return nil }
        let wishes = RequestWishes(request.fields)
        if failure.meansUnreachable,
            let pinned = pinnedFallback(now: now, request: request, wishes: wishes, stored: stored, policy: policy)
        {
            return pinned
        }
        guard failure.isServerError, let (entry, _) = Variants.best(of: answering(request, stored), for: request)
        else { return nil }
        let deliberation = Deliberation(entry: entry, request: request, wishes: wishes, now: now, policy: policy)
        return deliberation.fallbackDecision(after: failure)
    }

    /// The pinned entry that answers when the origin cannot be asked; the best that matches, as in `decide`.
    static func pinnedFallback(
        now: Date, request: HTTPRequest, wishes: RequestWishes, stored: [StoredResponse], policy: CachingPolicy
    ) -> CacheDecision? {
        guard policy.servesPinnedWhenUnreachable, !wishes.wantsOrigin,
            request.method == .get || request.method == .head,
            let (entry, _) = Variants.best(
                of: answering(request, stored.filter { $0.isPinned && !$0.isInvalidated }), for: request)
        else { return nil }
        var deliberation = Deliberation(entry: entry, request: request, wishes: wishes, now: now, policy: policy)
        let freshness = deliberation.freshness
        deliberation.note(freshness.isFresh ? .fresh(freshness) : .stale(freshness))
        deliberation.note(
            .words("pre-positioned content is served, stale or not, when the origin cannot be asked", ""))
        return deliberation.concluded(.serve(entryID: entry.id))
    }
}

extension Deliberation {
    /// The decision for an entry that nobody has pinned.
    fileprivate func fallbackDecision(after failure: ForwardFailure) -> CacheDecision? {
        guard absoluteObstacle == nil, wishes.minFresh.map({ -freshness.staleness >= $0 }) ?? true else { return nil }
        if mustRevalidate, !freshness.isFresh { return nil }
        let staleness = max(0, freshness.staleness)
        var deliberation = self
        deliberation.note(freshness.isFresh ? .fresh(freshness) : .stale(freshness))
        // The request's own word on errors counts before its limit on age, which is for when the origin works.
        if let window = wishes.control.staleIfError ?? control.staleIfError {
            guard staleness <= window.cautious else { return nil }
            if wishes.control.staleIfError == nil, let limit = wishes.maxAge, freshness.age >= limit { return nil }
            deliberation.note(
                .words(
                    "it may be used up to \(window.cautious) s stale when the origin fails, and it is \(staleness) s "
                        + "(Cache-Control: stale-if-error)", "RFC 5861 §4"))
            return deliberation.concluded(.serve(entryID: entry.id))
        }
        guard failure == .unreachable, freshness.age < wishes.maxAge ?? .max else { return nil }
        deliberation.note(
            .words("the origin cannot be reached, and nothing forbids to use it stale then", "RFC 9111 §4.2.4"))
        return deliberation.concluded(.serve(entryID: entry.id))
    }
}

extension ForwardFailure {
    /// What RFC 5861, section 4 counts as an error.
    fileprivate var isServerError: Bool {
        switch self {
        case .unreachable: true
        case .status(let status): status == 500 || 502...504 ~= status
        }
    }

    fileprivate var meansUnreachable: Bool {
        switch self {
        case .unreachable: true
        case .status(let status): 502...504 ~= status
        }
    }
}
