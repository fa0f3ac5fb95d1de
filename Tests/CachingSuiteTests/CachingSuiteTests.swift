import TestSupport
import Testing

/// The caching suite, by each of its fronts; one case after the other, as each has a store and some a proxy of their own.
@Suite(.serialized) struct CachingSuiteTests {
    @Test("the rules keep", arguments: CachingCase.all)
    func rules(test: CachingCase) async throws {
        var front = RulesFront()
        try await front.walk(test)
    }

    @Test("the engine keeps", arguments: CachingCase.all(for: .engine))
    func engine(test: CachingCase) async throws {
        var front = try EngineFront()
        try await front.walk(test)
    }

    @Test("URLSession gets", .exclusiveInterception, arguments: CachingCase.all(for: .session))
    func session(test: CachingCase) async throws {
        var front = try SessionFront()
        defer { front.close() }
        try await front.walk(test)
    }

    @Test("the proxy keeps", arguments: CachingCase.all(for: .proxy))
    func proxy(test: CachingCase) async throws {
        var front = try ProxyFront()
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
    /// The cases that a front carries.
    static func all(for front: Front) -> [CachingCase] { all.filter { $0.exceptions[front] == nil } }
}
