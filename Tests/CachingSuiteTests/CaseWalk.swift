import Foundation
import HTTPCaching
import HTTPModel
import TestSupport
import Testing

/// A way into a cache that stands alone, with an origin by script behind it.
protocol CachingFront {
    /// Sends one request of a case; `nil` when the caller gets a failure.
    /// - Returns: what the caller got, and every request that the origin saw, those behind the answer included.
    mutating func send(_ request: HTTPRequest, _ exchange: CachingExchange, position: Int) async throws
        -> (answer: CachingAnswer?, seen: [HTTPRequest])
    /// From here on a segment holds what is stored.
    mutating func pin() throws
}

/// The model cache as a front.
struct RulesFront: CachingFront {
    private var cache: ModelCache

    init(_ policy: CachingPolicy) { cache = ModelCache(policy) }

    mutating func send(_ request: HTTPRequest, _ exchange: CachingExchange, position: Int) -> (
        answer: CachingAnswer?, seen: [HTTPRequest]
    ) {
        var seen: [HTTPRequest] = []
        let answer = cache.send(request, now: CachingCase.start + exchange.time) { sent in
            seen.append(sent)
            return exchange.originAnswer(to: sent, position: position)
        }
        return (answer, seen)
    }

    mutating func pin() { cache.pin() }
}

extension CachingFront {
    /// Walks a case and records what is not as it shall be.
    mutating func walk(_ test: CachingCase) async throws {
        var texts: [String] = []
        for (position, exchange) in test.exchanges.enumerated() {
            let url = try #require(HTTPURL("http://example.com\(exchange.path)"))
            let request = HTTPRequest(method: exchange.method, url: url, fields: exchange.fields)
            texts.append(exchange.originAnswer(to: request, position: position)?.text ?? "")
            let (answer, seen) = try await send(request, exchange, position: position)
            let comment: Comment = "exchange \(position) of \(test)"
            #expect(Self.outcome(of: answer, request, seen) == exchange.outcome, comment)
            if let body = exchange.body, let answer, hasBody(answer, request) {
                #expect(answer.text == texts[body], comment)
            }
            if let text = exchange.reads { #expect(answer?.text == text, comment) }
            if let status = exchange.status { #expect(answer?.response.status == status, comment) }
            for (name, value) in exchange.gets { #expect(answer?.response.fields[name] == value, comment) }
            for (name, value) in exchange.sees { #expect(seen.first?.fields[name] == value, comment) }
            if answer?.cacheStatus?.isHit == true { #expect(answer?.response.fields.contains(.age) == true, comment) }
            if exchange.pins { try pin() }
        }
    }

    private func hasBody(_ answer: CachingAnswer, _ request: HTTPRequest) -> Bool {
        request.method != .head && ![304, 416].contains(answer.response.status)
    }

    /// What happened, from what the caller got and the origin saw.
    static func outcome(of answer: CachingAnswer?, _ request: HTTPRequest, _ seen: [HTTPRequest])
        -> CachingExchange.Outcome
    {
        guard let answer, let status = answer.cacheStatus else { return .failed }
        if status.isHit { return seen.isEmpty ? .hit : .hitAndAsk }
        switch status.detail {
        case "only-if-cached": return .refused
        case "stale-if-error", "origin-unreachable": return .rescued
        default: break
        }
        guard let sent = seen.first else { return .hit }
        if sent.fields[.range] != request.fields[.range] { return seen.count == 1 ? .completed : .replaced }
        let names: [HTTPFieldName] = [.ifNoneMatch, .ifModifiedSince]
        guard names.contains(where: { sent.fields[$0] != request.fields[$0] }) else {
            // A condition of the caller's may be the cache's as well: only then a 304 can be of an age.
            let isValidated = status.forwardStatus == 304 && answer.response.fields.contains(.age)
            return isValidated ? .validated : .miss
        }
        let isForwarded = status.forwardStatus == 304 && !answer.response.fields.contains(.age)
        return status.forwardStatus == 304 && seen.count == 1 && !isForwarded ? .validated : .replaced
    }
}
