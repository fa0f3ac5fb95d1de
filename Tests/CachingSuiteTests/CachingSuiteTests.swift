import HTTPCaching
import HTTPModel
import TestSupport
import Testing

/// The caching suite, by each of its fronts; one case after the other, as each has a store and some a proxy of their own.
@Suite(.serialized) struct CachingSuiteTests {
    @Test("the rules keep", arguments: CachingCase.all)
    func rules(test: CachingCase) async throws {
        var front = RulesFront(test.policy)
        try await front.walk(test)
    }

    @Test("the engine keeps", arguments: CachingCase.all(for: .engine))
    func engine(test: CachingCase) async throws {
        var front = try EngineFront(test.policy)
        try await front.walk(test)
    }

    @Test("URLSession gets", .exclusiveInterception, arguments: CachingCase.all(for: .session))
    func session(test: CachingCase) async throws {
        var front = try SessionFront(test.policy)
        defer { front.close() }
        try await front.walk(test)
    }

    @Test("the proxy keeps", arguments: CachingCase.all(for: .proxy))
    func proxy(test: CachingCase) async throws {
        var front = try ProxyFront(test.policy)
        try await front.walk(test)
        await front.close()
    }

    @Test("every case has a name of its own and a section, unless it is the product's own rule")
    func isWellFormed() {
        let all = CachingCase.all
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { $0.kind == .product || $0.reference.hasPrefix("RFC ") })
        #expect(all.allSatisfy { $0.exceptions[.rules] == nil && !$0.exceptions.values.contains("") })
    }
}

extension CachingCase {
    /// The knobs of the cache that the case is about.
    var policy: CachingPolicy {
        var policy = CachingPolicy()
        policy.isShared = cache == .shared
        if cache == .targeted { policy.targetedFields = ["Our-Cache-Control", "CDN-Cache-Control"] }
        return policy
    }

    /// The cases that a front carries.
    static func all(for front: Front) -> [CachingCase] { all.filter { $0.exceptions[front] == nil } }
}
