import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import ContentStore

@Suite struct ContentStoreTests {
    @Test("an entry comes back as it was stored, body and all")
    func roundTrip() throws {
        let fixture = try StoreFixture()
        let stored = try fixture.add("/a?x=1", "hello", fields: ["Accept-Encoding": "gzip", "X-Empty": ""])
        let entries = try fixture.store.entries(for: fixture.url("/a?x=1"))
        #expect(entries == [stored])
        let entry = try #require(entries.first)
        let draft = fixture.draft("/a?x=1", fields: ["Accept-Encoding": "gzip", "X-Empty": ""])
        #expect(entry.url == draft.url && entry.requestFields == draft.requestFields)
        #expect(entry.response == draft.response)
        #expect(entry.requestTime == draft.requestTime && entry.responseTime == draft.responseTime)
        #expect(!entry.isPinned && !entry.isStaged && !entry.isInvalidated && entry.bodyByteCount == 5)
        #expect(entry.bodyDigest == SHA256Digest.of(Data("hello".utf8)))
        #expect(try fixture.texts("/a?x=1") == ["hello"])
        #expect(try fixture.texts("/a?x=2") == [])
        #expect(try fixture.texts("/a") == [])
    }

    @Test("what is stored is there when the store is opened again")
    func survivesReopening() throws {
        let fixture = try StoreFixture()
        let entry = try fixture.add("/a", "hello", holder: "news@1")
        let again = try fixture.reopened()
        #expect(try again.entries(for: entry.url) == [entry])
        #expect(try again.verify(repair: false).problems == [])
        #expect(fixture.files() == [fixture.bodyPath("hello")])
    }

    @Test("an empty body is a body")
    func emptyBody() async throws {
        let fixture = try StoreFixture()
        let entry = try fixture.add("/empty", "")
        let body = try fixture.store.body(of: entry)
        #expect(try body.data() == Data())
        #expect(try await body.stream().collect() == Data())
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("variants of a URL live beside each other; the same selecting fields replace")
    func variants() throws {
        let fixture = try StoreFixture()
        try fixture.add("/v", "plain")
        let german = try fixture.add("/v", "deutsch", fields: ["Accept-Language": "de", "Accept": "*/*"])
        try fixture.add("/v", "english", fields: ["Accept-Language": "en", "Accept": "*/*"])
        #expect(try fixture.texts("/v").sorted() == ["deutsch", "english", "plain"])
        let replacement = try fixture.add("/v", "Deutsch", fields: ["accept": "*/*", "ACCEPT-LANGUAGE": "de"])
        #expect(try fixture.texts("/v").sorted() == ["Deutsch", "english", "plain"])
        #expect(replacement.id != german.id)
        #expect(try fixture.store.entry(id: german.id) == nil)
        #expect(!fixture.files().contains(fixture.bodyPath("deutsch")))
    }

    @Test("entries with equal bodies share one file, which goes with the last of them")
    func sharedBodies() throws {
        let fixture = try StoreFixture()
        try fixture.add("/a", "same")
        try fixture.add("/b", "same", holder: "news@1")
        #expect(fixture.files() == [fixture.bodyPath("same")])
        let usage = try fixture.store.usage()
        #expect(usage.entryCount == 2 && usage.bodyFileCount == 1)
        #expect(usage.pinnedByteCount == 4 && usage.opportunisticByteCount == 0)
        try fixture.store.release(holders: ["news@1"])
        #expect(try fixture.store.usage().opportunisticByteCount == 4)
        #expect(try fixture.texts("/a") == ["same"])
        try fixture.store.remove(fixture.url("/a"))
        #expect(fixture.files() == [])
        #expect(try fixture.store.usage() == StoreUsage())
    }

    @Test("an update gives new fields and times, and ends an invalidation")
    func updates() throws {
        let fixture = try StoreFixture()
        let entry = try fixture.add("/a", "hello", fields: ["Accept": "x"])
        try fixture.store.invalidate(entry.url)
        #expect(try fixture.store.entry(id: entry.id)?.isInvalidated == true)
        let later = entry.responseTime + 60
        try fixture.store.update(entryID: entry.id, fields: ["ETag": "2"], requestTime: later, responseTime: later + 1)
        let updated = try #require(try fixture.store.entry(id: entry.id))
        #expect(!updated.isInvalidated && updated.response.fields == ["ETag": "2"])
        #expect(updated.response.status == 200 && updated.requestFields == ["Accept": "x"])
        #expect(updated.requestTime == later && updated.responseTime == later + 1)
    }

    @Test("operations on an entry that is gone say so")
    func missingEntries() throws {
        let fixture = try StoreFixture()
        let now = fixture.timekeeper.now
        #expect(try fixture.store.entry(id: 7) == nil)
        #expect(throws: StoreError.self) { try fixture.store.hold(entryID: 7, holder: "a@1") }
        let error = #expect(throws: StoreError.self) {
            try fixture.store.update(entryID: 7, fields: [:], requestTime: now, responseTime: now)
        }
        #expect(error?.code == .notFound)
        let entry = try fixture.add("/a", "gone")
        try fixture.store.removeAll()
        #expect(throws: StoreError.self) { try fixture.store.body(of: entry) }
        try fixture.store.remove(entry.url)
        try fixture.store.invalidate(entry.url)
        try fixture.store.release(holders: ["nobody@1"])
        try fixture.store.activate(holder: "nobody@1", replacing: ["nobody@0"])
        fixture.store.touch(entryID: entry.id)
    }

    @Test("entries are listed in pages by id, holders by name")
    func listing() throws {
        let fixture = try StoreFixture()
        let entries = try (0..<5).map { try fixture.add("/\($0)", "body \($0)", holder: $0 > 2 ? "s@\($0)" : nil) }
        let first = try fixture.store.entries(after: 0, limit: 3)
        #expect(first == Array(entries.prefix(3)))
        #expect(try fixture.store.entries(after: first[2].id, limit: 3) == Array(entries.suffix(2)))
        #expect(try fixture.store.entries(after: 0, limit: -1) == [])
        #expect(try fixture.store.holders() == ["s@3", "s@4"])
        #expect(try fixture.store.entries(heldBy: "s@4") == [entries[4]])
    }

    @Test("removing everything leaves nothing")
    func removesAll() throws {
        let fixture = try StoreFixture()
        for number in 0..<10 { try fixture.add("/\(number)", "body \(number)", holder: number > 5 ? "a@1" : nil) }
        try fixture.add("/s", "staged", holder: "a@2", isStaged: true)
        try fixture.store.removeAll()
        #expect(fixture.files() == [])
        #expect(try fixture.store.usage() == StoreUsage())
        #expect(try fixture.store.holders() == [])
    }

    @Test("an id is never used for another entry")
    func freshIDs() throws {
        let fixture = try StoreFixture()
        let first = try fixture.add("/a", "a")
        try fixture.store.removeAll()
        #expect(try fixture.add("/b", "b").id > first.id)
    }
}
