import HTTPModel
import Testing

@Suite struct CacheStatusTests {
    @Test("writes a member as RFC 9211 has it")
    func writes() {
        #expect(CacheStatus(isHit: true, ttl: 376).description == "Larder; hit; ttl=376")
        #expect(
            CacheStatus(
                forwardReason: .stale, forwardStatus: 304, ttl: -3, isStored: true, isCollapsed: false,
                key: "http://a/\"x\"",
                detail: "revalidated"
            ).description
                == "Larder; fwd=stale; fwd-status=304; ttl=-3; stored; collapsed=?0; key=\"http://a/\\\"x\\\"\"; detail=revalidated"
        )
        #expect(
            CacheStatus(
                cacheName: "My Cache", forwardReason: .uriMiss, isStored: false, isCollapsed: true, detail: "é 1"
            ).description
                == "\"My Cache\"; fwd=uri-miss; stored=?0; collapsed; detail=\"?? 1\"")
        #expect(CacheStatus(isHit: true, forwardReason: .miss).description == "Larder; hit")
    }

    @Test("reads what it writes", arguments: CacheStatus.ForwardReason.allCases)
    func roundTrip(reason: CacheStatus.ForwardReason) {
        let status = CacheStatus(
            cacheName: "a b", forwardReason: reason, forwardStatus: 200, ttl: 5, isStored: true, isCollapsed: true,
            key: "k", detail: "d e")
        #expect(CacheStatus.parse("\(status), \(CacheStatus(isHit: true))") == [status, CacheStatus(isHit: true)])
    }

    @Test("reads members of other caches and passes over what it does not know")
    func readsOthers() throws {
        let text =
            "OriginCache; hit; ttl=1100, \"CDN Company Here\"; fwd=uri-miss; new-thing=1; ttl=x; hit=?0, ExampleCache; fwd=unheard; detail=oops"
        #expect(
            CacheStatus.parse(text) == [
                CacheStatus(cacheName: "OriginCache", isHit: true, ttl: 1_100),
                CacheStatus(cacheName: "CDN Company Here", forwardReason: .uriMiss),
                CacheStatus(cacheName: "ExampleCache", detail: "oops"),
            ])
        #expect(CacheStatus.parse("") == [])
    }

    @Test("refuses what is no list of names", arguments: ["(a b)", "1", "?1", "a, 1", "a;", "a b", "a; HIT"])
    func refuses(text: String) { #expect(CacheStatus.parse(text) == nil) }
}
