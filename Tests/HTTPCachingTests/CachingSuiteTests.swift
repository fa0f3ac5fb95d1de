import TestSupport
import Testing

/// The caching suite against the pure rules.
@Suite struct CachingSuiteTests {
    @Test("lifetimes and ages", arguments: CachingCase.freshness)
    func freshness(test: CachingCase) throws {
        var cache = ReferenceCache()
        try cache.walk(test)
    }

    @Test("requests and staleness", arguments: CachingCase.requests)
    func requests(test: CachingCase) throws {
        var cache = ReferenceCache()
        try cache.walk(test)
    }

    @Test("storing, variants, validation and invalidation", arguments: CachingCase.storage)
    func storage(test: CachingCase) throws {
        var cache = ReferenceCache()
        try cache.walk(test)
    }

    @Test("every case has a name of its own and a section, unless it is the product's own rule")
    func isWellFormed() {
        let all = CachingCase.freshness + CachingCase.requests + CachingCase.storage
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { $0.kind == .product || $0.reference.hasPrefix("RFC ") })
        #expect(all.count > 200)
    }
}
