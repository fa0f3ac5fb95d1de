import Foundation
import HTTPCaching
import HTTPModel
import TestSupport

/// The smallest cache around the pure rules: entries in an array, bodies as text, nothing shared and nothing in flight.
struct ModelCache {
    private struct Entry {
        var url: HTTPURL
        var stored: StoredResponse
        var text: String
    }

    typealias Origin = (HTTPRequest) -> CachingOriginAnswer?

    private var entries: [Entry] = []
    private var lastID: Int64 = 0
    private var policy: CachingPolicy

    init(_ policy: CachingPolicy = CachingPolicy()) {
        self.policy = policy
        self.policy.answersRanges = true
    }

    /// Answers a request; `nil` when the caller gets a failure.
    mutating func send(_ asked: HTTPRequest, now: Date, origin: Origin) -> CachingAnswer? {
        var request = asked
        if !request.fields.contains(.acceptEncoding), !request.fields.contains(.range) {
            request.fields.append(.acceptEncoding, "gzip, br, zstd")
        }
        guard request.method == .get || request.method == .head else { return pass(request, now, origin) }
        let decision = HTTPCache.decide(now: now, request: request, stored: stored(request.url), policy: policy)
        switch decision.action {
        case .serve(let id): return present(id, request, now, CacheStatus(isHit: true))
        case .serveAndRevalidate(let id, _):
            let answer = present(id, request, now, CacheStatus(isHit: true))
            _ = ask(request, decision, now, origin)
            return answer
        case .refuse:
            return CachingAnswer(
                HTTPResponse(status: 504, fields: [.contentLength: "0"]), "", CacheStatus(detail: "only-if-cached"))
        case .revalidate, .complete, .forward: return ask(request, decision, now, origin)
        }
    }

    /// From here on a segment holds what is stored.
    mutating func pin() {
        for index in entries.indices { entries[index].stored.isPinned = true }
    }

    private func stored(_ url: HTTPURL) -> [StoredResponse] { entries.filter { $0.url == url }.map(\.stored) }
    private func index(_ id: Int64) -> Int? { entries.firstIndex { $0.stored.id == id } }

    // MARK: - The origin

    private mutating func ask(_ request: HTTPRequest, _ decision: CacheDecision, _ now: Date, _ origin: Origin)
        -> CachingAnswer?
    {
        let (sent, asked, part) = inquiry(request, decision)
        let reason = decision.forwardReason ?? .stale
        guard let answer = origin(sent) else { return rescue(.unreachable, request, now, reason) }
        let response = HTTPCache.dated(answer.response, receivedAt: now)
        let candidates = stored(request.url).filter { asked.contains($0.id) }
        if let confirmed = HTTPCache.confirmed(by: response, among: candidates, condition: sent.fields[.ifNoneMatch]) {
            let others = HTTPCache.alsoConfirmed(by: response, with: confirmed, stored: stored(request.url))
            for entry in [confirmed] + others { update(entry.id, with: response, now) }
            return present(confirmed.id, request, now, CacheStatus(forwardReason: reason, forwardStatus: 304))
        }
        if let rescued = rescue(.status(response.status), request, now, reason) { return rescued }
        let plain = CacheDecision(action: .forward(reason), reasons: [])
        if response.status == 304, !asked.isEmpty, !HTTPCache.answersOwnCondition(response, of: request) {
            return ask(request, plain, now, origin)
        }
        if request.method == .head { note(response, request, now) }
        guard let part, [206, 416].contains(response.status) else {
            return keep(response, answer, request, now, reason)
        }
        guard let index = index(part), let old = HTTPCache.part(of: entries[index].stored.response),
            HTTPCache.part(of: response)?.range.lowerBound == old.range.upperBound,
            let whole = HTTPCache.combined(entries[index].stored.response, with: response), whole.status == 200
        else { return ask(request, plain, now, origin) }
        var joined = answer
        joined.text = entries[index].text + answer.text
        return keep(whole, joined, request, now, reason)
    }

    private func inquiry(_ request: HTTPRequest, _ decision: CacheDecision) -> (HTTPRequest, [Int64], part: Int64?) {
        var sent = request
        var (asked, part): ([Int64], Int64?) = ([], nil)
        var fields = HTTPFields()
        switch decision.action {
        case .revalidate(let id, let conditions), .serveAndRevalidate(let id, let conditions):
            (asked, fields) = ([id], conditions)
        case .complete(let id, let conditions): (part, fields) = (id, conditions)
        default: (asked, fields) = (decision.offer?.entryIDs ?? [], decision.offer?.conditionalFields ?? [:])
        }
        if !asked.isEmpty { (sent.fields[.ifNoneMatch], sent.fields[.ifModifiedSince]) = (nil, nil) }
        for field in fields { sent.fields[field.name] = field.value }
        return (sent, asked, part)
    }

    /// A request that the cache does not answer: it may invalidate, and be kept for later ones.
    private mutating func pass(_ request: HTTPRequest, _ now: Date, _ origin: Origin) -> CachingAnswer? {
        guard let answer = origin(request) else { return nil }
        for url in HTTPCache.invalidations(request: request, response: answer.response) { invalidate(url) }
        return keep(HTTPCache.dated(answer.response, receivedAt: now), answer, request, now, .method)
    }

    private func rescue(
        _ failure: ForwardFailure, _ request: HTTPRequest, _ now: Date, _ reason: CacheStatus.ForwardReason
    )
        -> CachingAnswer?
    {
        let fallback = HTTPCache.fallback(
            after: failure, now: now, request: request, stored: stored(request.url), policy: policy)
        let status: Int? = if case .status(let status) = failure { status } else { nil }
        return fallback?.entryID.flatMap {
            present(
                $0, request, now,
                CacheStatus(forwardReason: reason, forwardStatus: status, detail: "stale-if-error"))
        }
    }

    // MARK: - The store

    private mutating func update(_ id: Int64, with response: HTTPResponse, _ now: Date) {
        guard let index = index(id) else { return }
        entries[index].stored.response.fields = HTTPCache.updatedFields(
            of: entries[index].stored.response, with: response)
        (entries[index].stored.requestTime, entries[index].stored.responseTime) = (now, now)
        entries[index].stored.isInvalidated = false
    }

    private mutating func invalidate(_ url: HTTPURL) {
        for index in entries.indices where entries[index].url == url { entries[index].stored.isInvalidated = true }
    }

    private mutating func note(_ response: HTTPResponse, _ request: HTTPRequest, _ now: Date) {
        guard response.status == 200 else { return }
        var isContradicted = false
        for entry in HTTPCache.concerned(by: request, stored: stored(request.url)) {
            if HTTPCache.selects(response, entry) {
                update(entry.id, with: response, now)
            } else {
                isContradicted = true
            }
        }
        if isContradicted { invalidate(request.url) }
    }

    private mutating func keep(
        _ response: HTTPResponse, _ answer: CachingOriginAnswer, _ request: HTTPRequest, _ now: Date,
        _ reason: CacheStatus.ForwardReason
    ) -> CachingAnswer? {
        if HTTPCache.mayStore(request: request, response: response, policy: policy, now: now).mayStore {
            var storable = HTTPResponse(
                status: response.status, fields: HTTPCache.storableFields(of: response, decodedFrom: answer.coding))
            let count = Int64(answer.text.utf8.count)
            let isShort = answer.coding == nil && HTTPCache.promisedByteCount(of: response).map { $0 != count } ?? false
            if answer.isBroken || isShort {
                let isPlain = answer.coding == nil && !response.fields.contains(.contentEncoding)
                if isPlain, let part = HTTPCache.brokenOff(storable, after: count) {
                    keepPart(part, answer.text, request, now)
                }
            } else if storable.status == 206 {
                keepPart(storable, answer.text, request, now)
            } else {
                commit(&storable, answer.text, request, now)
            }
        }
        if answer.isBroken { return nil }
        let presented = answer.coding == nil ? response : HTTPCache.decoded(response)
        return CachingAnswer(
            presented, answer.text, CacheStatus(forwardReason: reason, forwardStatus: response.status))
    }

    private mutating func keepPart(_ part: HTTPResponse, _ text: String, _ request: HTTPRequest, _ now: Date) {
        let candidates = HTTPCache.concerned(by: request, stored: stored(request.url))
        if let whole = candidates.first(where: { $0.response.status != 206 }) {
            if HTTPCache.isSameRepresentation(whole.response, part) { update(whole.id, with: part, now) }
            return
        }
        for old in candidates {
            guard var combined = HTTPCache.combined(old.response, with: part), let index = index(old.id),
                let left = HTTPCache.part(of: old.response)?.range, let right = HTTPCache.part(of: part)?.range
            else { continue }
            let before = entries[index].text.prefix(Int(max(0, right.lowerBound - left.lowerBound)))
            let after = entries[index].text.dropFirst(Int(max(0, right.upperBound - left.lowerBound)))
            return commit(&combined, before + text + after, request, now)
        }
        var part = part
        commit(&part, text, request, now)
    }

    private mutating func commit(_ response: inout HTTPResponse, _ text: String, _ request: HTTPRequest, _ now: Date) {
        let selecting = HTTPCache.selectingFields(of: request, for: response)
        let isOld = { (entry: Entry) in entry.url == request.url && entry.stored.requestFields == selecting }
        let isPinned = entries.contains { isOld($0) && $0.stored.isPinned }
        entries.removeAll(where: isOld)
        lastID += 1
        let stored = StoredResponse(
            id: lastID, requestFields: selecting, response: response, requestTime: now, responseTime: now,
            isPinned: isPinned)
        entries.append(Entry(url: request.url, stored: stored, text: text))
    }

    // MARK: - The answer

    private func present(_ id: Int64, _ request: HTTPRequest, _ now: Date, _ status: CacheStatus) -> CachingAnswer? {
        guard let entry = index(id).map({ entries[$0] }) else { return nil }
        let response = HTTPCache.presented(
            entry.stored, for: request, now: now, status: status, bodyByteCount: Int64(entry.text.utf8.count))
        var text = entry.text
        let hasNoBody = request.method == .head || [304, 416].contains(response.status)
        if let range = HTTPCache.part(of: response)?.range {
            let start = HTTPCache.part(of: entry.stored.response)?.range.lowerBound ?? 0
            text = String(text.dropFirst(Int(range.lowerBound - start)).prefix(range.count))
        }
        return CachingAnswer(response, hasNoBody ? "" : text)
    }
}
