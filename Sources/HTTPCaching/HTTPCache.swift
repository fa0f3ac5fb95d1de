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
        guard let (entry, count) = Variants.best(of: answering(request, stored), for: request) else {
            return missDecision(request, wishes: wishes, stored: stored)
        }
        var deliberation = Deliberation(entry: entry, request: request, wishes: wishes, now: now, policy: policy)
        if count > 1 { deliberation.note(.newestOf(matching: count)) }
        return deliberation.decision()
    }

    /// The stored responses that have every byte that a request wants.
    static func answering(_ request: HTTPRequest, _ stored: [StoredResponse]) -> [StoredResponse] {
        guard stored.contains(where: { $0.response.status == 206 }) else { return stored }
        return stored.filter { hasAllBytes($0, for: request) }
    }

    /// The decision when nothing stored can answer.
    private static func missDecision(
        _ request: HTTPRequest, wishes: RequestWishes, stored: [StoredResponse]
    ) -> CacheDecision {
        if stored.isEmpty { return CacheDecision(action: .forward(.uriMiss), reasons: [Reason(.nothingStored)]) }
        if let (part, _) = Variants.best(of: stored.filter { $0.response.status == 206 }, for: request) {
            guard request.method == .get, !request.fields.contains(.range), !request.hasOwnCondition,
                !wishes.control.noStore, let fields = completingFields(of: part)
            else { return CacheDecision(action: .forward(.partial), reasons: [Reason(.partOnly)]) }
            return CacheDecision(
                action: .complete(entryID: part.id, conditionalFields: fields),
                reasons: [Reason(.partOnly), Reason(.completing(fields[.range] ?? ""))])
        }
        var decision = CacheDecision(
            action: .forward(.varyMiss), reasons: [Reason(.noVariant(stored: stored.count))])
        decision.offer = VariantOffer(of: stored, for: request)
        if decision.offer != nil { decision.reasons.append(Reason(.offeringTags)) }
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
        case .revalidate, .complete, .forward:
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

extension HTTPRequest {
    /// Whether the request has a condition of the caller's (RFC 9110, section 13.1).
    var hasOwnCondition: Bool {
        fields.contains { field in
            [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince].contains(field.name)
        }
    }
}
