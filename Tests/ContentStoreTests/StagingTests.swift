import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import ContentStore

@Suite struct StagingTests {
    let fixture: StoreFixture
    var store: ContentStore { fixture.store }

    init() throws { fixture = try StoreFixture() }

    @Test("a staged version is invisible until it is activated; the old one serves until then and goes with it")
    func switchesVersions() throws {
        try fixture.add("/a", "a1", holder: "news@1")
        try fixture.add("/b", "b1", holder: "news@1")
        let staged = try fixture.add("/a", "a2", holder: "news@2", isStaged: true)
        try fixture.add("/c", "c2", holder: "news@2", isStaged: true)
        #expect(try fixture.texts("/a") == ["a1"])
        #expect(try fixture.texts("/c") == [])
        #expect(try store.entries(heldBy: "news@2").map(\.isStaged) == [true, true])
        #expect(try store.entry(id: staged.id)?.isStaged == true)
        #expect(try store.holders() == ["news@1", "news@2"])

        try store.activate(holder: "news@2", replacing: ["news@1"])
        #expect(try fixture.texts("/a") == ["a2"])
        #expect(try fixture.texts("/b") == [])
        #expect(try fixture.texts("/c") == ["c2"])
        #expect(try store.holders() == ["news@2"])
        #expect(fixture.files() == [fixture.bodyPath("a2"), fixture.bodyPath("c2")].sorted())
        #expect(try store.usage().pinnedByteCount == 4)
    }

    @Test("an entry that the new version keeps is held by both until the old one goes")
    func holdsWhatStays() throws {
        let kept = try fixture.add("/a", "same", holder: "news@1")
        try store.hold(entryID: kept.id, holder: "news@2")
        try store.hold(entryID: kept.id, holder: "news@2")
        #expect(try store.entry(id: kept.id)?.holders == ["news@1", "news@2"])
        try store.activate(holder: "news@2", replacing: ["news@1"])
        #expect(try store.entries(for: kept.url).map(\.holders) == [["news@2"]])
        try store.release(holders: ["news@2"])
        #expect(try fixture.texts("/a") == [])
    }

    @Test("a version that is given up goes without a trace")
    func abandons() throws {
        try fixture.add("/a", "a1", holder: "news@1")
        try fixture.add("/a", "a2", holder: "news@2", isStaged: true)
        try store.release(holders: ["news@2"])
        #expect(try fixture.texts("/a") == ["a1"])
        #expect(fixture.files() == [fixture.bodyPath("a1")])
    }

    @Test("staging the same item again takes the place of the earlier attempt")
    func stagesAgain() throws {
        try fixture.add("/a", "first", holder: "news@2", isStaged: true)
        try fixture.add("/a", "second", holder: "news@2", isStaged: true)
        try fixture.add("/a", "other", holder: "sport@7", isStaged: true)
        #expect(try store.entries(heldBy: "news@2").count == 1)
        #expect(fixture.files() == [fixture.bodyPath("second"), fixture.bodyPath("other")].sorted())
        try store.activate(holder: "news@2", replacing: [])
        #expect(try fixture.texts("/a") == ["second"])
        try store.activate(holder: "sport@7", replacing: [])
        #expect(try fixture.texts("/a") == ["other"])
        #expect(try store.entries(for: fixture.url("/a")).first?.holders == ["news@2", "sport@7"])
    }

    @Test("what replaces a pinned entry keeps its holders")
    func inheritsHolders() throws {
        try fixture.add("/a", "a1", holder: "news@1")
        try store.hold(entryID: store.entries(for: fixture.url("/a"))[0].id, holder: "sport@1")
        let fetched = try fixture.add("/a", "fetched")
        #expect(fetched.holders == ["news@1", "sport@1"] && fetched.isPinned)
        try fixture.add("/a", "a2", holder: "news@2", isStaged: true)
        try store.activate(holder: "news@2", replacing: ["news@1"])
        let entry = try #require(try store.entries(for: fixture.url("/a")).first)
        #expect(entry.holders == ["news@2", "sport@1"])
        #expect(try fixture.texts("/a") == ["a2"])
    }

    @Test("an activated entry takes the place of one that passed by")
    func replacesOpportunistic() throws {
        try fixture.add("/a", "passed by")
        try fixture.add("/a", "pinned", holder: "news@1", isStaged: true)
        try store.activate(holder: "news@1", replacing: [])
        #expect(try fixture.texts("/a") == ["pinned"])
        let usage = try store.usage()
        #expect(usage.opportunisticByteCount == 0 && usage.pinnedByteCount == 6)
    }

    @Test("activating twice, or replacing itself, changes nothing")
    func activatesTwice() throws {
        try fixture.add("/a", "a", holder: "news@1", isStaged: true)
        try store.activate(holder: "news@1", replacing: ["news@1"])
        try store.activate(holder: "news@1", replacing: ["news@1", "news@0"])
        #expect(try fixture.texts("/a") == ["a"])
    }

    @Test("staging means nothing without a holder")
    func stagingNeedsHolder() throws {
        let entry = try fixture.add("/a", "a", isStaged: true)
        #expect(!entry.isStaged)
        #expect(try fixture.texts("/a") == ["a"])
    }

    @Test("invalidation and removal reach staged entries too")
    func reachesStaged() throws {
        let staged = try fixture.add("/a", "a", holder: "news@1", isStaged: true)
        try store.invalidate(staged.url)
        #expect(try store.entry(id: staged.id)?.isInvalidated == true)
        try store.remove(staged.url)
        #expect(try store.entry(id: staged.id) == nil)
        #expect(fixture.files() == [])
    }
}
