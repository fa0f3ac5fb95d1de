import Foundation
import HTTPModel
import TestSupport
import Testing

@testable import ContentStore

@Suite struct ChangeTests {
    /// What a listener heard, in short words.
    private func heard(_ fixture: StoreFixture, _ act: () throws -> Void) async throws -> [String] {
        let changes = fixture.store.changes()
        try act()
        // The mark that ends the listening.
        try fixture.add("/end", "end")
        var words: [String] = []
        for await change in changes {
            switch change {
            case .added(let entry) where entry.url.path == "/end": return words
            case .added(let entry): words.append("+\(entry.url.path)")
            case .updated(let entry): words.append("~\(entry.url.path)")
            case .removed(let url, let holders): words.append("-\(url.path) \(holders.sorted().joined(separator: ","))")
            }
        }
        return words
    }

    @Test("changes are told in the order of the commits")
    func order() async throws {
        let fixture = try StoreFixture()
        let words = try await heard(fixture) {
            let first = try fixture.add("/a", "1")
            try fixture.add("/a", "2")
            try fixture.store.invalidate(first.url)
            try fixture.store.invalidate(first.url)
            try fixture.store.remove(first.url)
        }
        #expect(words == ["+/a", "~/a", "~/a", "-/a "])
    }

    @Test("staged entries are told of when they become visible, held ones when they go")
    func staging() async throws {
        let fixture = try StoreFixture()
        try fixture.add("/a", "1", holder: "n@1")
        try fixture.add("/b", "1", holder: "n@1")
        let words = try await heard(fixture) {
            try fixture.add("/a", "2", holder: "n@2", isStaged: true)
            try fixture.add("/x", "2", holder: "n@3", isStaged: true)
            try fixture.store.release(holders: ["n@3"])
            try fixture.store.activate(holder: "n@2", replacing: ["n@1"])
        }
        #expect(words == ["~/a", "-/b n@1"])
    }

    @Test("an entry is readable by the time it is told of")
    func readable() async throws {
        let fixture = try StoreFixture()
        let changes = fixture.store.changes()
        try fixture.add("/a", "hello")
        var iterator = changes.makeAsyncIterator()
        guard case .added(let entry) = await iterator.next() else {
            Issue.record("expected an addition")
            return
        }
        #expect(try fixture.store.entries(for: entry.url) == [entry])
        #expect(try fixture.store.body(of: entry).data() == Data("hello".utf8))
    }

    @Test("every listener hears all; one that lags loses the oldest")
    func bounded() async throws {
        let fixture = try StoreFixture()
        let slow = fixture.store.changes()
        let entry = try fixture.add("/a", "0")
        let count = ChangeHub.bufferedCountMax + 10
        for number in 0..<count {
            try fixture.store.update(
                entryID: entry.id, fields: ["N": "\(number)"], requestTime: entry.requestTime,
                responseTime: entry.responseTime)
        }
        var iterator = slow.makeAsyncIterator()
        guard case .updated(let oldest) = await iterator.next() else {
            Issue.record("expected an update")
            return
        }
        #expect(oldest.response.fields["N"] == "10")
    }

    @Test("the end of the store ends the listening")
    func ends() async throws {
        var fixture: StoreFixture? = try StoreFixture()
        let changes = try #require(fixture?.store.changes())
        fixture = nil
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 0)
    }

    @Test("nothing is told of a change that failed")
    func silentOnFailure() async throws {
        let fixture = try StoreFixture(pinned: 3)
        let words = try await heard(fixture) {
            #expect(throws: StoreError.self) { try fixture.add("/a", "long", holder: "n@1") }
        }
        #expect(words == [])
    }
}
