import Foundation
import HTTPModel
import Primitives
import SQLiteDatabase
import TestSupport
import Testing

@testable import ContentStore

/// Small bodies, which the index holds.
@Suite struct InlineBodyTests {
    @Test("bodies up to the limit are in the index, larger ones in files", arguments: [0, 1, 999, 1_000, 1_001, 5_000])
    func limit(count: Int) async throws {
        let fixture = try StoreFixture(inline: 1_000)
        let bytes = sampleBytes(count)
        let entry = try fixture.add("/a", bytes)
        #expect(fixture.files() == (count > 1_000 ? [fixture.bodyPath(bytes)] : []))
        let body = try fixture.store.body(of: entry)
        #expect((body.path == nil) == (count <= 1_000))
        #expect(try body.data() == bytes)
        #expect(try body.read(at: Int64(count / 2), byteCount: count) == bytes.suffix(from: count / 2))
        #expect(try body.read(at: Int64(count), byteCount: 1) == Data())
        #expect(try await body.stream(range: 0..<Int64(count / 3)).collect() == bytes.prefix(count / 3))
        #expect(try fixture.store.usage().bodyFileCount == (count > 1_000 ? 1 : 0))
        #expect(try fixture.store.usage().opportunisticByteCount == Int64(count))
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("a body that grows beyond the limit piece by piece ends in a file, and can be read meanwhile")
    func grows() throws {
        let fixture = try StoreFixture(pinned: 16 << 20, opportunistic: 16 << 20, inline: 1_000)
        let bytes = sampleBytes(BodyWriter.pieceByteCount * 2 + 777)
        let writer = try fixture.store.beginBody()
        var offset = 0
        for size in [1, 600, 399, 1, 50_000, BodyWriter.pieceByteCount, bytes.count] {
            let piece = bytes[offset..<min(offset + size, bytes.count)]
            try writer.append(piece)
            offset += piece.count
            #expect(writer.byteCount == Int64(offset))
            let from = max(0, offset - 60_000)
            #expect(try writer.read(at: Int64(from), byteCount: 100_000) == bytes[from..<offset])
            #expect(try writer.read(at: 0, byteCount: 10) == bytes[0..<min(10, offset)])
        }
        let entry = try fixture.store.commit(fixture.draft("/a"), body: writer)
        #expect(try fixture.store.body(of: entry).data() == bytes)
        #expect(fixture.files() == [fixture.bodyPath(bytes)])
    }

    @Test("a small body becomes a file when somebody wants one, once, and is accounted for")
    func movesOut() throws {
        let fixture = try StoreFixture(inline: 1_000)
        let entry = try fixture.add("/a", "small", holder: "n@1")
        let other = try fixture.add("/b", "small")
        let path = try fixture.store.file(of: entry)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("small".utf8))
        #expect(try fixture.store.file(of: entry) == path)
        #expect(try fixture.store.body(of: entry).data() == Data("small".utf8))
        #expect(try fixture.store.body(of: other).path == nil)
        #expect(try fixture.store.file(of: other) == path)
        #expect(try fixture.store.verify(repair: false).problems == [])
        #expect(try fixture.store.usage().bodyFileCount == 1)
        try fixture.store.remove(entry.url)
        #expect(fixture.files() == [fixture.bodyPath("small")])
        try fixture.store.remove(other.url)
        #expect(fixture.files() == [])
        #expect(throws: StoreError.self) { try fixture.store.file(of: entry) }
        #expect(fixture.files() == [])
        #expect(try fixture.store.usage() == StoreUsage())
    }

    @Test("a small body that is gone or has another size is noticed, and its entry goes")
    func broken() throws {
        let fixture = try StoreFixture(inline: 1_000)
        let lost = try fixture.add("/lost", "lost"), cut = try fixture.add("/cut", "cut short")
        try fixture.store.index.write {
            try $0.connection.run("DELETE FROM bodies WHERE entry_id = ?", lost.id)
            try $0.connection.run("UPDATE bodies SET bytes = x'00' WHERE entry_id = ?", cut.id)
        }
        for entry in [lost, cut] {
            let error = #expect(throws: StoreError.self) { try fixture.store.body(of: entry) }
            #expect(error?.code == .notFound)
            #expect(try fixture.store.ready(for: entry.url).entries == [])
        }
        #expect(try fixture.store.usage() == StoreUsage())
    }

    @Test("a check finds small bodies with other bytes")
    func verified() throws {
        let fixture = try StoreFixture(inline: 1_000)
        try fixture.add("/good", "good")
        let bad = try fixture.add("/bad", "rotten")
        try fixture.store.index.write {
            try $0.connection.run("UPDATE bodies SET bytes = x'524F5454454E' WHERE entry_id = ?", bad.id)
        }
        let report = try fixture.store.verify(repair: false)
        #expect(report.problems.count == 1 && report.bodiesChecked == 2 && report.entriesChecked == 2)
        #expect(try fixture.store.verify(repair: true).repaired)
        #expect(try fixture.store.verify(repair: false).problems == [])
        #expect(try fixture.texts("/bad") == [] && fixture.texts("/good") == ["good"])
    }

    @Test("the least recently used small bodies make room, pinned ones never")
    func evicts() throws {
        let fixture = try StoreFixture(opportunistic: 300, inline: 1_000)
        let body = { (number: Int) in sampleBytes(100, seed: UInt64(number)) }
        try fixture.add("/0", body(0), holder: "news@1")
        let entries = try (1...3).map { try fixture.add("/\($0)", body($0)) }
        fixture.timekeeper.advance(by: .seconds(1))
        fixture.store.touch(entryID: entries[0].id)
        try fixture.add("/4", body(4))
        let present = try (0...4).filter { try !fixture.store.entries(for: fixture.url("/\($0)")).isEmpty }
        #expect(present == [0, 1, 3, 4])
        #expect(try fixture.store.usage().opportunisticByteCount == 300)
        #expect(try fixture.store.usage().pinnedByteCount == 100)
        #expect(try fixture.store.verify(repair: false).problems == [])
    }

    @Test("several entries are stored together, all of them or none")
    func together() throws {
        let fixture = try StoreFixture(opportunistic: 10_000, inline: 1_000)
        func arrival(_ path: String, _ count: Int) throws -> ContentStore.Arrival {
            let writer = try fixture.store.beginBody(isPinned: true)
            try writer.append(sampleBytes(count))
            return ContentStore.Arrival(draft: fixture.draft(path), body: writer)
        }
        let entries = try fixture.store.commit([arrival("/a", 10), arrival("/b", 5_000), arrival("/c", 5_000)])
        #expect(entries.map(\.url.path) == ["/a", "/b", "/c"])
        #expect(fixture.files() == [fixture.bodyPath(sampleBytes(5_000))])
        #expect(throws: StoreError.self) {
            try fixture.store.commit([arrival("/d", 10), arrival("/e", 6_000), arrival("/f", 20_000)])
        }
        #expect(try fixture.texts("/d") == [])
        #expect(fixture.files() == [fixture.bodyPath(sampleBytes(5_000))])
        #expect(try fixture.store.commit([]) == [])
        #expect(try fixture.store.verify(repair: false).problems == [])
    }
}
