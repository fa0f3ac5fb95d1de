import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers from the store.
extension Engine {
    /// Serves an entry without asking the origin.
    /// - Returns: `nil` when its body cannot be opened: the request then goes to the network.
    func serve(_ entry: StoreEntry, for lookup: Lookup, isStale: Bool = false) -> Hop? {
        var status = CacheStatus(isHit: true, ttl: Self.ttl(of: lookup.decision))
        if isStale { status.detail = "stale-while-revalidate" }
        let outcome: ExchangeRecord.Outcome = entry.isPinned ? .pinnedHit : .cacheHit
        return present(entry, for: lookup, as: outcome, status: status, decision: lookup.decision, now: lookup.now)
    }

    /// Serves an entry that the origin has just confirmed.
    func serveConfirmed(
        _ entry: StoreEntry, by head: FlightHead, for lookup: Lookup, reason: CacheStatus.ForwardReason,
        isFirst: Bool
    ) -> Hop? {
        let status = CacheStatus(
            forwardReason: reason, forwardStatus: head.response.status, isCollapsed: isFirst ? nil : true)
        var hop = present(
            entry, for: lookup, as: .revalidated, status: status, decision: lookup.decision, now: context.timekeeper.now
        )
        if isFirst { hop?.metrics = head.metrics }
        return hop
    }

    /// Serves what the rules allow after the origin failed; `nil` when they allow nothing.
    func serveInstead(
        of failure: ForwardFailure, for lookup: Lookup, reason: CacheStatus.ForwardReason
    ) -> Hop? {
        let fallback = HTTPCache.fallback(
            after: failure, now: context.timekeeper.now, request: lookup.request, stored: lookup.stored,
            policy: context.policy)
        guard var decision = fallback, let id = decision.entryID, let entry = lookup.entry(id) else {
            return nil
        }
        decision.reasons = lookup.decision.reasons + decision.reasons
        var status = CacheStatus(forwardReason: reason, ttl: Self.ttl(of: decision))
        switch failure {
        case .status(let code): (status.forwardStatus, status.detail) = (code, "stale-if-error")
        case .unreachable: status.detail = "origin-unreachable"
        }
        return present(
            entry, for: lookup, as: .staleOnError, status: status, decision: decision, now: context.timekeeper.now)
    }

    /// Answers 504: the request allows only the cache, which has nothing for it (RFC 9111, section 5.2.1.7).
    func refusal(_ lookup: Lookup) -> Hop {
        let status = CacheStatus(detail: "only-if-cached").description
        return Hop(
            response: HTTPResponse(status: 504, fields: [.cacheStatus: status, .contentLength: "0"]), body: .none,
            outcome: .failed, cacheStatus: status, decision: lookup.decision)
    }

    private func present(
        _ entry: StoreEntry, for lookup: Lookup, as outcome: ExchangeRecord.Outcome, status: CacheStatus,
        decision: CacheDecision, now: Date
    ) -> Hop? {
        let response = HTTPCache.presented(
            entry.storedResponse, for: lookup.request, now: now, status: status, bodyByteCount: entry.bodyByteCount)
        guard let body = body(of: entry, as: response, for: lookup) else { return nil }
        if let ready = lookup.ready { context.store?.touch(entry, in: ready, at: now) }
        return Hop(
            response: response, body: body, outcome: outcome, cacheStatus: status.description,
            segments: entry.segments, decision: decision)
    }

    /// The part of the stored body that a presented response has; `nil` when the body cannot be opened.
    private func body(of entry: StoreEntry, as response: HTTPResponse, for lookup: Lookup) -> Hop.Body? {
        // Another status than the stored one says what became of the body: 206, 304 or 416.
        let status = response.status == entry.response.status ? nil : response.status
        if lookup.request.method == .head || status == 304 || status == 416 { return Hop.Body.none }
        guard let stored = open(entry, lookup.ready) else { return nil }
        guard let range = HTTPCache.part(of: response)?.range else { return .stored(stored) }
        // What is stored may itself be a part, whose file begins later than the whole.
        let start = HTTPCache.part(of: entry.response)?.range.lowerBound ?? 0
        return .stream(stored.stream(range: range.lowerBound - start..<range.upperBound - start))
    }

    func open(_ entry: StoreEntry, _ ready: ReadyEntries?) -> StoredBody? {
        do throws(StoreError) {
            return try context.store?.body(of: entry, in: ready)
        } catch {
            context.report(error)
            return nil
        }
    }

    /// Remaining freshness in seconds.
    static func ttl(of decision: CacheDecision) -> Int? {
        guard let age = decision.ageSeconds, let lifetime = decision.lifetimeSeconds else { return nil }
        return lifetime.subtractingReportingOverflow(age).partialValue
    }
}
