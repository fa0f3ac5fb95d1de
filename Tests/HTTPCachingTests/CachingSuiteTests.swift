import HTTPCaching
import HTTPModel
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

    @Test("a cache of several users", arguments: CachingCase.shared)
    func shared(test: CachingCase) throws {
        var policy = CachingPolicy()
        policy.isShared = true
        var cache = ReferenceCache(policy: policy)
        try cache.walk(test)
    }

    @Test("fields for this cache in particular", arguments: CachingCase.targeted)
    func targeted(test: CachingCase) throws {
        var policy = CachingPolicy()
        policy.targetedFields = ["Our-Cache-Control", "CDN-Cache-Control"]
        var cache = ReferenceCache(policy: policy)
        try cache.walk(test)
    }

    @Test("every case has a name of its own and a section, unless it is the product's own rule")
    func isWellFormed() {
        let all =
            CachingCase.freshness + CachingCase.requests + CachingCase.storage + CachingCase.shared
            + CachingCase.targeted
        #expect(Set(all.map(\.name)).count == all.count)
        #expect(all.allSatisfy { $0.kind == .product || $0.reference.hasPrefix("RFC ") })
        #expect(all.count > 200)
    }
}
