import Foundation
import HTTPCaching
import HTTPModel
import TestSupport
import Testing

/// Answers given again at another age are those that the rules would give.
@Suite struct AgingTests {
    @Test("a decision carried over to another age is the one made then", arguments: [41, 42, 43] as [UInt64])
    func carriedOver(seed: UInt64) throws {
        var maker = RandomExchanges(seed: seed)
        var carriedCount = 0
        for _ in 0..<4_000 {
            let asked = maker.request(), stored = maker.entries(), policy = maker.policy()
            guard !asked.fields.contains(.cacheControl), !asked.fields.contains(.pragma) else { continue }
            let first = maker.time()
            let decision = HTTPCache.decide(now: first, request: asked, stored: stored, policy: policy)
            guard let chosen = stored.first(where: { $0.id == decision.entryID }) else { continue }
            let aging = Aging(of: chosen)
            for _ in 0..<4 {
                let now = Bool.random(using: &maker.generator) ? maker.time() : first + .random(in: -2...2)
                #expect(aging.age(at: now) == HTTPCache.age(of: chosen, now: now))
                guard let carried = decision.aged(to: aging.age(at: now)) else { continue }
                #expect(carried == HTTPCache.decide(now: now, request: asked, stored: stored, policy: policy))
                carriedCount += 1
            }
        }
        // Guards the test itself.
        #expect(carriedCount > 50)
    }

    @Test("what is served for another reason than its freshness is not carried over")
    func onlyFresh() throws {
        let fresh = entry([.cacheControl: "max-age=60", .eTag: "\"1\""])
        let decision = decide(at: 10, stored: [fresh])
        #expect(decision.aged(to: 59)?.ageSeconds == 59)
        #expect(decision.aged(to: 60) == nil)
        #expect(decide(at: 70, [.cacheControl: "max-stale"], stored: [fresh]).aged(to: 10) == nil)
        #expect(decide(at: 70, stored: [fresh]).aged(to: 10) == nil)
    }
}
