public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The rules of a private HTTP cache (RFC 9111), as pure functions: data in, decision with reasons out.
///
/// None does I/O or blocks; each costs about as much as reading the fields it looks at.
public enum HTTPCache {
    /// Decides how a request is answered.
    ///
    /// Beside the RFCs, the product's own rules hold: `max-age` of a request means the smaller of it and the response's own
    /// lifetime; `max-age`, `max-stale` and `min-fresh` are ignored beside `no-cache`; `immutable` outweighs a request's
    /// `max-age`, not its `no-cache`; a pinned entry answers `only-if-cached` though stale. Requests with `Range` go
    /// forward unless ``CachingPolicy/answersRanges`` is set.
    /// - Parameters:
    ///   - now: the current date.
    ///   - request: the request as the app means it, with the engine's `Accept-Encoding`.
    ///   - stored: every entry of the request's URL (method GET), in any order.
    ///   - policy: the knobs.
    public static func decide(
        now: Date, request: HTTPRequest, stored: [StoredResponse], policy: CachingPolicy
    ) -> CacheDecision {
        let wishes = RequestWishes(request.fields)
        let decision = freeDecision(now: now, request: request, wishes: wishes, stored: stored, policy: policy)
        guard wishes.control.onlyIfCached else { return decision }
        return confined(decision, now: now, request: request, wishes: wishes, stored: stored, policy: policy)
    }

    /// The decision as if the way to the origin were open.
    private static func freeDecision(
        now: Date, request: HTTPRequest, wishes: RequestWishes, stored: [StoredResponse], policy: CachingPolicy
    ) -> CacheDecision {
        if let forward = forwardWithoutLooking(request, policy: policy) { return forward }
        guard let (entry, count) = Variants.best(of: stored, for: request) else {
            return stored.isEmpty
                ? CacheDecision(action: .forward(.uriMiss), reasons: [Reason(.nothingStored)])
                : CacheDecision(action: .forward(.varyMiss), reasons: [Reason(.noVariant(stored: stored.count))])
        }
        var deliberation = Deliberation(entry: entry, wishes: wishes, now: now, policy: policy)
        if count > 1 { deliberation.note(.newestOf(matching: count)) }
        let decision = deliberation.decision()
        if request.method == .get, request.fields.contains(.range), !decision.isServing {
            // Validating a whole on behalf of a part would change what the caller gets; the part is fetched as asked for.
            return CacheDecision(
                action: .forward(.stale),
                reasons: decision.reasons + [
                    Reason("only a part is wanted, so that part is fetched", "RFC 9110 §14.2")
                ],
                ageSeconds: decision.ageSeconds, lifetimeSeconds: decision.lifetimeSeconds)
        }
        return decision
    }

    /// The decision for requests that no stored response can answer, whatever is stored.
    private static func forwardWithoutLooking(_ request: HTTPRequest, policy: CachingPolicy) -> CacheDecision? {
        guard request.method == .get || request.method == .head else {
            let reason = Reason("only GET and HEAD are answered from the cache, not \(request.method)", "RFC 9111 §4")
            return CacheDecision(action: .forward(.method), reasons: [reason])
        }
        if request.fields.contains(.ifMatch) || request.fields.contains(.ifUnmodifiedSince) {
            let reason = Reason(
                "the request has a condition that only the origin can judge (If-Match or If-Unmodified-Since)",
                "RFC 9111 §4.3.2")
            return CacheDecision(action: .forward(.bypass), reasons: [reason])
        }
        if request.fields.contains(.range), request.method == .get, !policy.answersRanges {
            let reason = Reason("the request wants a part only, and parts are not answered from the cache (Range)")
            return CacheDecision(action: .forward(.bypass), reasons: [reason])
        }
        return nil
    }

    /// What is left of a decision when the request allows only the cache.
    private static func confined(
        _ decision: CacheDecision, now: Date, request: HTTPRequest, wishes: RequestWishes, stored: [StoredResponse],
        policy: CachingPolicy
    ) -> CacheDecision {
        switch decision.action {
        case .serve, .refuse: return decision
        case .serveAndRevalidate(let entryID, _):
            var confined = decision
            confined.action = .serve(entryID: entryID)
            return confined
        case .revalidate, .forward:
            // To forbid the network is as good as to have none.
            if let pinned = pinnedFallback(now: now, request: request, wishes: wishes, stored: stored, policy: policy) {
                return pinned
            }
            let reason = Reason(
                "the request allows only the cache (Cache-Control: only-if-cached)", "RFC 9111 §5.2.1.7")
            return CacheDecision(
                action: .refuse, reasons: decision.reasons + [reason], ageSeconds: decision.ageSeconds,
                lifetimeSeconds: decision.lifetimeSeconds)
        }
    }

    /// Age of a response in whole seconds (RFC 9111, section 4.2.3), 2^31 at most.
    public static func age(of stored: StoredResponse, now: Date) -> Int {
        Freshness.age(of: stored, date: Freshness.date(of: stored), now: now)
    }

    typealias Reason = CacheDecision.Reason
}

extension CacheDecision {
    /// Whether the answer comes from the store.
    var isServing: Bool {
        switch action {
        case .serve, .serveAndRevalidate: true
        case .revalidate, .forward, .refuse: false
        }
    }
}
