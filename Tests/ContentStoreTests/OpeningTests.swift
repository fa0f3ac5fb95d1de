import Cryptography
import Foundation
import HTTPModel
import SQLiteDatabase
import TestSupport
import Testing

@testable import ContentStore

/// What opening finds of processes that died, and of older versions.
@Suite struct OpeningTests {
    private func write(_ text: String, _ fixture: StoreFixture) throws {
        let path = fixture.absolute(fixture.bodyPath(text))
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test("files that were about to get or lose their entry are looked at, and no others")
    func looseFiles() throws {
        let fixture = try StoreFixture()
        try fixture.add("/kept", "kept")
        for text in ["announced", "unknown"] { try write(text, fixture) }
        try fixture.store.index.write { transaction in
            for text in ["announced", "kept", "never named"] {
                try transaction.connection.run(
                    "INSERT INTO loose_files VALUES (?)", SHA256Digest.of(Data(text.utf8)).hex)
            }
        }
        let store = try fixture.reopened()
        #expect(fixture.files() == ["kept", "unknown"].map { fixture.bodyPath($0) }.sorted())
        #expect(try store.index.read { try $0.first("SELECT count(*) FROM loose_files") { $0.int(0) } } == 0)
        #expect(try store.verify(repair: true).problems.count == 1)
        #expect(fixture.files() == [fixture.bodyPath("kept")])
        #expect(try fixture.texts("/kept") == ["kept"])
    }

    @Test("a store of the first version keeps its entries")
    func firstVersion() throws {
        let directory = try TemporaryDirectory()
        let fixture: StoreFixture
        do {
            let old = try StoreFixture(in: directory)
            for text in ["one", "two"] { try write(text, old) }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: old.absolute("index.sqlite" + suffix))
            }
            fixture = old
        }
        do {
            let index = try SQLiteDatabase(
                path: fixture.absolute("index.sqlite"), migrations: [StoreSchema.migrations[0]])
            try index.write { connection in
                for (id, text, isPinned) in [(5, "one", true), (8, "two", false)] {
                    try connection.run(
                        """
                        INSERT INTO entries (id, url, variant, is_visible, is_pinned, status, fields, request_time,
                            response_time, last_used, digest, byte_count) VALUES (?, ?, '', 1, ?, 200, ?, 1, 2, 3, ?, 3)
                        """, id, fixture.url("/\(text)").string, isPinned,
                        FieldCoding.encode(request: [:], response: ["Name": text]), SHA256Digest.of(Data(text.utf8)).hex
                    )
                }
                try connection.run("INSERT INTO holds VALUES (5, 'n@1')")
            }
        }
        let store = try fixture.reopened()
        #expect(try store.verify(repair: false).problems == [])
        for (id, text) in [(Int64(5), "one"), (8, "two")] {
            let entry = try #require(try store.entries(for: fixture.url("/\(text)")).first)
            #expect(
                entry.id == id && entry.response.fields["Name"] == text && entry.lastUsed.timeIntervalSince1970 == 3)
            #expect(try store.body(of: entry).data() == Data(text.utf8))
        }
        #expect(try store.entries(heldBy: "n@1").map(\.id) == [5])
        let usage = try store.usage()
        #expect(usage.entryCount == 2 && usage.bodyFileCount == 2 && usage.pinnedByteCount == 3)
        let added = try fixture.add("/three", Data("three".utf8), to: store)
        #expect(added.id > 8)
    }
}
