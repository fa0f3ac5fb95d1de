import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The way from one chosen entry to a decision (RFC 9111, sections 4.2 to 4.3).
struct Deliberation {
    let entry: StoredResponse
    let request: HTTPRequest
    let wishes: RequestWishes
    let control: CacheControl
    let mustRevalidate: Bool
    let freshness: Freshness
    private var reasons: [CacheDecision.Reason] = []

    init(entry: StoredResponse, request: HTTPRequest, wishes: RequestWishes, now: Date, policy: CachingPolicy) {
        self.entry = entry
        self.request = request
        self.wishes = wishes
        let responseControl = ResponseControl(entry.response.fields, policy: policy)
        control = responseControl.control
        mustRevalidate = responseControl.mustRevalidate
        freshness = Freshness(of: entry, control: responseControl, now: now, policy: policy)
    }

    mutating func note(_ step: Step) { reasons.append(CacheDecision.Reason(step)) }

    mutating func decision() -> CacheDecision {
        note(freshness.isFresh ? .fresh(freshness) : .stale(freshness))
        if let obstacle = absoluteObstacle {
            note(obstacle)
            guard case .requestNoCache = obstacle else { return validation(isWish: false) }
            return validation(isWish: freshness.isFresh)
        }
        return freshness.isFresh ? freshDecision() : staleDecision(limit: freshness.lifetime)
    }

    /// What forbids any use without asking the origin.
    var absoluteObstacle: Step? {
        if entry.isInvalidated { return .invalidated }
        if control.noStore, !control.mustUnderstand { return .storedNoStore }
        if control.noCache == .response { return .responseNoCache }
        if wishes.wantsOrigin { return .requestNoCache(isPragma: wishes.isPragma) }
        return nil
    }

    private mutating func freshDecision() -> CacheDecision {
        let left = -freshness.staleness
        if let wanted = wishes.minFresh, left < wanted {
            note(.tooSoonStale(wanted: wanted, left: left))
            return validation(isWish: true)
        }
        if let limit = wishes.maxAge, freshness.age >= limit {
            if control.isImmutable {
                note(.immutable)
            } else {
                return staleDecision(limit: limit)
            }
        }
        return concluded(.serve(entryID: entry.id))
    }

    /// Decides on an entry at or beyond a limit: its lifetime, or the request's shorter `max-age`.
    private mutating func staleDecision(limit lifetime: Int) -> CacheDecision {
        let limit = min(lifetime, wishes.maxAge ?? .max)
        if let maxAge = wishes.maxAge, freshness.age >= maxAge {
            note(.olderThanRequestMaxAge(age: freshness.age, limit: maxAge))
        }
        if mustRevalidate, !freshness.isFresh {
            note(.mustRevalidate)
            return validation(isWish: false)
        }
        // A request that asks for time ahead does not take what is over.
        if let wanted = wishes.minFresh {
            if !freshness.isFresh { note(.tooSoonStale(wanted: wanted, left: 0)) }
            return validation(isWish: freshness.isFresh)
        }
        if let maxStale = wishes.maxStale {
            let staleness = freshness.age - limit
            switch maxStale {
            case .any:
                note(.maxStale(allowed: nil, staleness: staleness))
                return concluded(.serve(entryID: entry.id))
            case .seconds(let allowed) where staleness <= allowed:
                note(.maxStale(allowed: allowed, staleness: staleness))
                return concluded(.serve(entryID: entry.id))
            case .seconds(let allowed): note(.beyondMaxStale(allowed: allowed, staleness: staleness))
            }
        }
        if let window = control.staleWhileRevalidate?.cautious, !freshness.isFresh,
            freshness.age < wishes.maxAge ?? .max
        {
            if freshness.staleness <= window {
                note(.staleWhileRevalidate(allowed: window, staleness: freshness.staleness))
                return concluded(
                    .serveAndRevalidate(entryID: entry.id, conditionalFields: conditionalFields))
            }
            note(.beyondStaleWhileRevalidate(allowed: window, staleness: freshness.staleness))
        }
        return validation(isWish: freshness.isFresh)
    }

    /// Asks the origin about the entry, or fetches it anew when it has nothing to ask about.
    private mutating func validation(isWish: Bool) -> CacheDecision {
        let fields = conditionalFields
        guard !fields.isEmpty else {
            note(.noValidator)
            return concluded(.forward(isWish ? .request : .stale))
        }
        note(.validators(hasTag: fields.contains(.ifNoneMatch), hasDate: fields.contains(.ifModifiedSince)))
        return concluded(.revalidate(entryID: entry.id, conditionalFields: fields))
    }

    func concluded(_ action: CacheDecision.Action) -> CacheDecision {
        CacheDecision(
            action: action, reasons: reasons, ageSeconds: freshness.age, lifetimeSeconds: freshness.lifetime)
    }

    /// The conditions under which the origin need not send the entry again (RFC 9111, section 4.3.1).
    ///
    /// The caller's own tags go with the entry's, so that what the caller has need not come either (section 4.3.2). A tag goes
    /// back as it came, also one without quotation marks, as origins that send such tags expect it; not so `*`, which would
    /// match anything.
    private var conditionalFields: HTTPFields {
        var fields = HTTPFields()
        if let tag = entry.response.fields.firstValue(of: .eTag), !tag.isEmpty, tag != "*" {
            let own = EntityTag(tag) == nil ? nil : request.fields[.ifNoneMatch]
            fields.append(.ifNoneMatch, EntityTagCondition.union(own, [tag]) ?? tag)
        }
        if let date = entry.response.fields.firstValue(of: .lastModified),
            HTTPDate.parse(date, now: entry.responseTime) != nil
        {
            fields.append(.ifModifiedSince, date)
        }
        return fields
    }
}
