import Foundation
import HTTPCaching
import HTTPModel
import TestSupport
import Testing

/// The smallest cache around the pure rules: enough to walk the cases, with nothing of the engine.
struct ReferenceCache {
    private struct Entry {
        var url: HTTPURL
        var stored: StoredResponse
        /// The position of the exchange that brought the body.
        var body: Int
    }

    private struct Answer {
        var response: HTTPResponse?
        var body: Int?
        var outcome: CachingExchange.Outcome
    }

    private var entries: [Entry] = []
    private let policy: CachingPolicy
    private var seen: HTTPRequest?

    init(policy: CachingPolicy = CachingPolicy()) { self.policy = policy }

    /// Walks one case and records what is not as it shall be.
    mutating func walk(_ test: CachingCase) throws {
        for (position, exchange) in test.exchanges.enumerated() {
            seen = nil
            let url = try #require(HTTPURL("http://example.com\(exchange.path)"))
            let request = HTTPRequest(method: exchange.method, url: url, fields: exchange.fields)
            let answer = try send(request, exchange, position)
            let comment: Comment = "exchange \(position) of \(test)"
            #expect(answer.outcome == exchange.outcome, comment)
            if let body = exchange.body { #expect(answer.body == body, comment) }
            if let status = exchange.status { #expect(answer.response?.status == status, comment) }
            for (name, value) in exchange.gets { #expect(answer.response?.fields[name] == value, comment) }
            for (name, value) in exchange.sees { #expect(seen?.fields[name] == value, comment) }
            if exchange.pins {
                for index in entries.indices { entries[index].stored.isPinned = true }
            }
        }
    }

    private mutating func send(_ request: HTTPRequest, _ exchange: CachingExchange, _ position: Int) throws -> Answer {
        let now = CachingCase.start + exchange.time
        let stored = entries.filter { $0.url == request.url }.map(\.stored)
        let decision = HTTPCache.decide(now: now, request: request, stored: stored, policy: policy)
        #expect(!decision.reasons.isEmpty && decision.reasons.allSatisfy { !$0.text.isEmpty })
        switch decision.action {
        case .serve(let id): return try serve(id, request, now, .hit)
        case .serveAndRevalidate(let id, let conditions):
            let answer = try serve(id, request, now, .hitAndAsk)
            _ = try ask(request, conditions, id, exchange, position)
            return answer
        case .revalidate(let id, let conditions): return try ask(request, conditions, id, exchange, position)
        case .forward: return try ask(request, [:], nil, exchange, position)
        case .refuse: return Answer(response: HTTPResponse(status: 504), outcome: .refused)
        }
    }

    private func serve(_ id: Int64, _ request: HTTPRequest, _ now: Date, _ outcome: CachingExchange.Outcome) throws
        -> Answer
    {
        let entry = try #require(entries.first { $0.stored.id == id })
        let response = HTTPCache.presented(entry.stored, for: request, now: now, status: CacheStatus(isHit: true))
        #expect(response.fields[.age].flatMap { Int($0) } == HTTPCache.age(of: entry.stored, now: now))
        #expect(response.fields[.cacheStatus]?.hasSuffix("Larder; hit") == true)
        return Answer(response: response, body: entry.body, outcome: outcome)
    }

    private mutating func ask(
        _ request: HTTPRequest, _ conditions: HTTPFields, _ id: Int64?, _ exchange: CachingExchange, _ position: Int
    ) throws -> Answer {
        var sent = request
        if !conditions.isEmpty {
            sent.fields[.ifNoneMatch] = nil
            sent.fields[.ifModifiedSince] = nil
            for field in conditions { sent.fields.append(field.name, field.value) }
        }
        seen = sent
        let now = CachingCase.start + exchange.time
        let asked: CachingExchange.Outcome = conditions.isEmpty ? .miss : .replaced
        let status: Int
        var fields: HTTPFields
        switch exchange.origin {
        case .isUnreachable: return try rescue(.unreachable, request, now) ?? Answer(outcome: .failed)
        case .answersUndated(let code, let given): (status, fields) = (code, given)
        case .answers(let code, let given):
            (status, fields) = (code, given)
            if !fields.contains(.date) { fields.append(.date, HTTPDate.format(now)) }
        }
        let response = HTTPResponse(status: status, fields: fields)
        if let id, status == 304 || (request.method == .head && status == 200),
            let index = entries.firstIndex(where: { $0.stored.id == id }),
            HTTPCache.selects(response, entries[index].stored)
        {
            freshen(index, with: response, now)
            return status == 304 ? try serve(id, request, now, .validated) : Answer(response: response, outcome: asked)
        }
        if let answer = try rescue(.status(status), request, now) { return answer }
        keep(response, for: request, position, now)
        return Answer(response: response, body: position, outcome: asked)
    }

    private func rescue(_ failure: ForwardFailure, _ request: HTTPRequest, _ now: Date) throws -> Answer? {
        let stored = entries.filter { $0.url == request.url }.map(\.stored)
        guard
            let decision = HTTPCache.fallback(
                after: failure, now: now, request: request, stored: stored, policy: policy),
            let id = decision.entryID
        else { return nil }
        return try serve(id, request, now, .rescued)
    }

    private mutating func freshen(_ index: Int, with response: HTTPResponse, _ now: Date) {
        entries[index].stored.response.fields = HTTPCache.updatedFields(
            of: entries[index].stored.response, with: response)
        entries[index].stored.requestTime = now
        entries[index].stored.responseTime = now
        entries[index].stored.isInvalidated = false
    }

    private mutating func keep(_ response: HTTPResponse, for request: HTTPRequest, _ position: Int, _ now: Date) {
        for url in HTTPCache.invalidations(request: request, response: response) {
            for index in entries.indices where entries[index].url == url { entries[index].stored.isInvalidated = true }
        }
        guard HTTPCache.mayStore(request: request, response: response, policy: policy, now: now).mayStore else {
            return
        }
        let selecting = HTTPCache.selectingFields(of: request, for: response)
        let isVariant = response.fields.contains(.vary)
        entries.removeAll {
            $0.url == request.url && $0.stored.requestFields == selecting
                && $0.stored.response.fields.contains(.vary) == isVariant
                && $0.stored.response.fields[.vary] == response.fields[.vary]
        }
        let fields = HTTPCache.storableFields(of: response)
        let stored = StoredResponse(
            id: Int64(position), requestFields: selecting,
            response: HTTPResponse(status: response.status, fields: fields),
            requestTime: now, responseTime: now)
        entries.append(Entry(url: request.url, stored: stored, body: position))
    }
}
