import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import ContentStore

@Suite struct BudgetTests {
    private func body(_ number: Int, _ count: Int = 100) -> Data { sampleBytes(count, seed: UInt64(number)) }

    private func present(_ fixture: StoreFixture, _ paths: ClosedRange<Int>) throws -> [Int] {
        try paths.filter { try !fixture.store.entries(for: fixture.url("/\($0)")).isEmpty }
    }

    @Test("the least recently used opportunistic entries make room, pinned ones never")
    func evictsLeastRecentlyUsed() throws {
        let fixture = try StoreFixture(pinned: 1_000, opportunistic: 300)
        try fixture.add("/0", body(0), holder: "news@1")
        let entries = try (1...3).map { try fixture.add("/\($0)", body($0)) }
        fixture.timekeeper.advance(by: .seconds(1))
        fixture.store.touch(entryID: entries[0].id)
        #expect(try fixture.store.entry(id: entries[0].id)?.lastUsed == fixture.timekeeper.now)
        try fixture.add("/4", body(4))
        #expect(try present(fixture, 0...4) == [0, 1, 3, 4])
        try fixture.add("/5", body(5, 250))
        #expect(try present(fixture, 0...5) == [0, 5])
        let usage = try fixture.store.usage()
        #expect(usage.pinnedByteCount == 100 && usage.opportunisticByteCount == 250 && usage.entryCount == 2)
        #expect(fixture.files().count == 2)
    }

    @Test("uses noted by the hundred are written down and survive the store")
    func usesAreWritten() throws {
        let fixture = try StoreFixture()
        let entries = try (0..<300).map { try fixture.add("/\($0)", body($0, 8)) }
        fixture.timekeeper.advance(by: .seconds(1_000))
        for entry in entries { fixture.store.touch(entryID: entry.id) }
        fixture.store.index.waitForBackground()
        let written = try fixture.reopened().entries(after: 0, limit: 1_000).filter {
            $0.lastUsed == fixture.timekeeper.now
        }
        #expect(written.count >= UseNotes.writtenCount)
    }

    @Test("evicting an entry whose body another one shares goes on until there is room")
    func sharedBodiesInEviction() throws {
        let fixture = try StoreFixture(opportunistic: 300)
        for path in 1...4 { try fixture.add("/\(path)", body(1)) }
        try fixture.add("/5", body(5))
        try fixture.add("/6", body(6))
        #expect(try present(fixture, 1...6) == [1, 2, 3, 4, 5, 6])
        try fixture.add("/7", body(7))
        #expect(try present(fixture, 1...7) == [5, 6, 7])
        #expect(try fixture.store.usage().opportunisticByteCount == 300)
    }

    @Test("a body that can never fit is refused at the start, on the way and at the commit")
    func tooLarge() throws {
        let fixture = try StoreFixture(pinned: 200, opportunistic: 100)
        try fixture.add("/old", body(9, 60))
        func code(_ body: () throws -> Void) -> StoreError.Code? {
            do { try body() } catch { return (error as? StoreError)?.code }
            return nil
        }
        #expect(code { _ = try fixture.store.beginBody(expectedByteCount: 101) } == .overBudget)
        #expect(code { _ = try fixture.store.beginBody(expectedByteCount: 100) } == nil)
        #expect(code { _ = try fixture.store.beginBody(expectedByteCount: 101, isPinned: true) } == nil)
        #expect(code { _ = try fixture.store.beginBody(expectedByteCount: 201, isPinned: true) } == .overBudget)
        let writer = try fixture.store.beginBody()
        try writer.append(body(1, 100))
        #expect(code { try writer.append(Data([1])) } == .overBudget)
        #expect(writer.byteCount == 100)
        let pinned = try fixture.store.beginBody(isPinned: true)
        try pinned.append(body(2, 150))
        #expect(code { try fixture.store.commit(fixture.draft("/a"), body: pinned) } == .overBudget)
        #expect(fixture.files() == [fixture.bodyPath(body(9, 60))])
        #expect(try fixture.store.usage().opportunisticByteCount == 60)
    }

    @Test("pinned content beyond its budget is refused and leaves nothing behind")
    func pinnedBudget() throws {
        let fixture = try StoreFixture(pinned: 250)
        try fixture.add("/1", body(1), holder: "a@1")
        try fixture.add("/2", body(2), holder: "a@1", isStaged: true)
        let error = #expect(throws: StoreError.self) { try fixture.add("/3", body(3), holder: "a@1") }
        #expect(error?.code == .overBudget)
        let passing = try fixture.add("/4", body(4))
        #expect(throws: StoreError.self) { try fixture.store.hold(entryID: passing.id, holder: "a@1") }
        #expect(try fixture.store.entry(id: passing.id)?.isPinned == false)
        // A body that is pinned already takes no more room.
        try fixture.add("/5", body(1), holder: "b@1")
        let usage = try fixture.store.usage()
        #expect(usage.pinnedByteCount == 200 && usage.opportunisticByteCount == 100 && usage.bodyFileCount == 3)
        #expect(fixture.files().count == 3)
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("what entries take beside their bodies counts, beyond a first MiB")
    func ownBytes() throws {
        let fixture = try StoreFixture(opportunistic: 100_000, inline: 1_000)
        let long: HTTPFields = ["Long": String(repeating: "x", count: 300_000)]
        try fixture.add("/0", "", holder: "n@1", fields: long)
        for path in 1...5 { try fixture.add("/\(path)", "", fields: long) }
        #expect(try present(fixture, 0...5) == [0, 3, 4, 5])
        let entry = try fixture.store.entries(for: fixture.url("/3"))[0]
        try fixture.store.hold(entryID: entry.id, holder: "n@1")
        try fixture.add("/6", "", fields: long)
        #expect(try present(fixture, 0...6) == [0, 3, 4, 5, 6])
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("smaller budgets evict what passed by and keep what is pinned")
    func shrinking() throws {
        let fixture = try StoreFixture()
        for path in 1...3 { try fixture.add("/\(path)", body(path), holder: "a@1") }
        for path in 4...6 { try fixture.add("/\(path)", body(path)) }
        try fixture.store.setBudgets(pinnedByteCountMax: 100, opportunisticByteCountMax: 150)
        #expect(try present(fixture, 1...6) == [1, 2, 3, 6])
        #expect(throws: StoreError.self) { try fixture.add("/7", body(7, 1), holder: "a@1") }
        try fixture.store.release(holders: ["a@1"])
        try fixture.add("/7", body(7, 1), holder: "a@2")
        #expect(try present(fixture, 1...7) == [6, 7])
    }

    @Test("a store opened with a smaller budget evicts at once")
    func shrinkingAtOpening() throws {
        var fixture = try StoreFixture()
        for path in 1...3 { try fixture.add("/\(path)", body(path)) }
        fixture.configuration.opportunisticByteCountMax = 100
        #expect(try fixture.reopened().entries(after: 0, limit: 9).map(\.url) == [fixture.url("/3")])
        #expect(fixture.files() == [fixture.bodyPath(body(3))])
    }
}
