import Foundation
import HTTPCaching
import HTTPModel
import TestSupport
import Testing

/// Rules that hold for any input, checked on seeded random ones, hostile values among them.
@Suite struct PropertyTests {
    private static let rounds = 4_000

    @Test(
        "the decision is the same however often and in whatever order the entries come",
        arguments: [11, 12, 13] as [UInt64])
    func deterministic(seed: UInt64) {
        var maker = RandomExchanges(seed: seed)
        for _ in 0..<Self.rounds {
            let asked = maker.request(), stored = maker.entries(), policy = maker.policy(), now = maker.time()
            let decision = HTTPCache.decide(now: now, request: asked, stored: stored, policy: policy)
            let shuffled = stored.shuffled(using: &maker.generator)
            #expect(decision == HTTPCache.decide(now: now, request: asked, stored: shuffled, policy: policy))
            #expect(
                HTTPCache.fallback(after: .unreachable, now: now, request: asked, stored: stored, policy: policy)
                    == HTTPCache.fallback(
                        after: .unreachable, now: now, request: asked, stored: shuffled, policy: policy))
        }
    }

    @Test("no decision breaks what a request or a response forbids", arguments: [21, 22, 23] as [UInt64])
    func forbidden(seed: UInt64) throws {
        var maker = RandomExchanges(seed: seed)
        var actions: Set<String> = []
        for _ in 0..<Self.rounds {
            let asked = maker.request(), stored = maker.entries(), policy = maker.policy(), now = maker.time()
            let decision = HTTPCache.decide(now: now, request: asked, stored: stored, policy: policy)
            actions.insert(String(String(describing: decision.action).prefix { $0 != "(" }))
            #expect(!decision.reasons.isEmpty && decision.reasons.allSatisfy { !$0.text.isEmpty })
            let control = CacheControl(asked.fields)
            let chosen = try decision.entryID.map { id in try #require(stored.first { $0.id == id }) }
            switch decision.action {
            case .serve, .serveAndRevalidate:
                let chosen = try #require(chosen), response = CacheControl(chosen.response.fields)
                #expect(asked.method == .get || asked.method == .head)
                #expect(control.noCache == nil && !chosen.isInvalidated)
                let isPinnedOffline = control.onlyIfCached && chosen.isPinned && policy.servesPinnedWhenUnreachable
                #expect(response.noCache != .response || isPinnedOffline)
                let age = try #require(decision.ageSeconds), lifetime = try #require(decision.lifetimeSeconds)
                #expect(age < lifetime || !response.mustRevalidate || isPinnedOffline)
                let mayBeStale = control.maxStale != nil || response.staleWhileRevalidate != nil || isPinnedOffline
                #expect(age < lifetime || mayBeStale)
            case .revalidate(_, let fields), .complete(_, let fields):
                #expect(!fields.isEmpty && !control.onlyIfCached)
            case .forward(let reason):
                #expect(!control.onlyIfCached)
                #expect((reason == .method) == (asked.method != .get && asked.method != .head))
            case .refuse: #expect(control.onlyIfCached)
            }
        }
        #expect(actions.count == 5, "the random exchanges reach \(actions.sorted()) only")
    }

    @Test("age never falls, and what is no longer served is not served again", arguments: [31, 32, 33] as [UInt64])
    func monotone(seed: UInt64) {
        var maker = RandomExchanges(seed: seed)
        for _ in 0..<Self.rounds / 4 {
            let asked = maker.request(), stored = maker.entries(max: 1), policy = maker.policy()
            var age = 0, wasServed = true
            for step in 0..<12 {
                let now = start + Double(step * step * 5)
                let decision = HTTPCache.decide(now: now, request: asked, stored: stored, policy: policy)
                if let older = decision.ageSeconds {
                    #expect(older >= age)
                    age = older
                }
                let isServed = decision.entryID != nil && decision.forwardReason == nil
                #expect(wasServed || !isServed, "\(asked.fields) \(stored) at \(step)")
                wasServed = isServed
            }
        }
    }

    @Test(
        "whatever is presented has an age, a status of the four, and no body where none may be",
        arguments: [41, 42] as [UInt64])
    func presented(seed: UInt64) throws {
        var maker = RandomExchanges(seed: seed)
        for _ in 0..<Self.rounds {
            let asked = maker.request(), now = maker.time(), length = maker.length()
            guard let stored = maker.entries().first else { continue }
            let response = HTTPCache.presented(
                stored, for: asked, now: now, status: CacheStatus(isHit: true), bodyByteCount: length)
            #expect([stored.response.status, 304, 206, 416].contains(response.status))
            #expect(Int(response.fields[.age] ?? "") == HTTPCache.age(of: stored, now: now))
            if response.status == 206, stored.response.status != 206 {
                let range = try #require(response.fields[.contentRange].flatMap { ContentRange($0) })
                let complete = try #require(length)
                #expect(range.completeByteCount == complete)
                #expect(response.fields[.contentLength] == String(range.range?.count ?? -1))
            }
            let fields = HTTPCache.storableFields(of: stored.response)
            #expect(!fields.contains(.connection))
            #expect(HTTPCache.storableFields(of: HTTPResponse(status: 200, fields: fields)) == fields)
        }
    }
}

/// Random requests and entries over a small world, so that they meet.
struct RandomExchanges {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private static let directives = [
        "no-cache", "no-store", "max-age=0", "max-age=50", "max-age=500", "max-age=-1", "max-age=x",
        "max-age=99999999999999999999",
        "max-stale", "max-stale=30", "min-fresh=10", "only-if-cached", "must-revalidate", "immutable",
        "stale-while-revalidate=60",
        "stale-if-error=60", "public", "private", "no-cache=\"Foo\"", "must-understand", "\"", ",", "=",
        "x=\"y, no-store\"", "s-maxage=9",
    ]
    private static let dates = [
        CachingCase.date(0), CachingCase.date(-1_000), CachingCase.date(60), CachingCase.date(1_000_000), "0", "",
        "Sun Nov  6 08:49:37 1994",
        "Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
    ]
    private static let tags = ["\"a\"", "W/\"a\"", "\"b\"", "*", "abc", "", "\"a\", \"b\""]
    private static let values = ["1", "2", "1, 2", "1,2", "", "gzip", "identity;q=0"]

    private mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator)! }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func time() -> Date {
        start + pick([-1e9, -5, 0, 0.5, 10, 49, 50, 59, 60, 75, 100, 499, 501, 5_000, 1e12])
    }
    mutating func length() -> Int64? { pick([nil, 0, 1, 10, .max]) }

    mutating func policy() -> CachingPolicy {
        var policy = CachingPolicy()
        policy.heuristicFraction = pick([0, 0.1, 1, -1, .infinity, .nan])
        policy.heuristicLifetimeSecondsMax = pick([0, 86_400, -1, .max])
        policy.servesPinnedWhenUnreachable = chance(70)
        policy.answersRanges = chance(50)
        policy.isShared = chance(30)
        return policy
    }

    mutating func request() -> HTTPRequest {
        var fields = HTTPFields()
        if chance(50) { fields.append(.cacheControl, directiveList()) }
        if chance(10) { fields.append(.pragma, "no-cache") }
        if chance(10) { fields.append(.ifNoneMatch, pick(Self.tags)) }
        if chance(10) { fields.append(.ifModifiedSince, pick(Self.dates)) }
        if chance(3) { fields.append(.ifMatch, pick(Self.tags)) }
        if chance(10) {
            fields.append(.range, pick(["bytes=0-0", "bytes=5-", "bytes=-3", "bytes=9-1", "bytes=0-1,2-3"]))
        }
        if chance(10) { fields.append(.ifRange, pick(Self.tags + Self.dates)) }
        appendSelecting(to: &fields)
        return HTTPCachingTests.request(fields, method: pick([.get, .get, .get, .get, .get, .head, .post]))
    }

    mutating func entries(max count: Int = 3) -> [StoredResponse] {
        (0..<Int.random(in: 0...count, using: &generator)).map { id in
            var fields = HTTPFields(), selecting = HTTPFields()
            if chance(80) { fields.append(.cacheControl, directiveList()) }
            if chance(60) { fields.append(.eTag, pick(Self.tags)) }
            if chance(50) { fields.append(.lastModified, pick(Self.dates)) }
            if chance(30) { fields.append(.expires, pick(Self.dates)) }
            if chance(70) { fields.append(.date, pick(Self.dates)) }
            if chance(20) { fields.append(.age, pick(["5", "-1", "x", "99999999999999", "1, 2"])) }
            if chance(30) {
                fields.append(.vary, pick(["Foo", "Foo, Accept-Encoding", "*", "Accept-Encoding", "a b"]))
            }
            if chance(10) { fields.append(.connection, "foo, close") }
            appendSelecting(to: &selecting)
            return StoredResponse(
                id: Int64(id), requestFields: selecting,
                response: HTTPResponse(status: pick([200, 200, 200, 404, 302, 206, 599]), fields: fields),
                requestTime: start + pick([0, -5, 5]), responseTime: start, isInvalidated: chance(10),
                isPinned: chance(30))
        }
    }

    private mutating func directiveList() -> String {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in pick(Self.directives) }.joined(separator: ", ")
    }

    private mutating func appendSelecting(to fields: inout HTTPFields) {
        if chance(50) { fields.append("Foo", pick(Self.values)) }
        if chance(50) { fields.append(.acceptEncoding, pick(Self.values)) }
    }
}
