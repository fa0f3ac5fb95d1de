import Cryptography
import Foundation
import HTTPModel
import SQLiteDatabase
import TestSupport
import Testing

@testable import ContentStore

/// What a store makes of directories in which things went wrong.
@Suite struct RecoveryTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Fills a store and closes it.
    private func closedStore(_ count: Int = 3) throws -> ContentStore.Configuration {
        let fixture = try StoreFixture(in: directory)
        for number in 0..<count { try fixture.add("/\(number)", "body \(number)") }
        return fixture.configuration
    }

    private func open(_ configuration: ContentStore.Configuration) throws -> ContentStore {
        try ContentStore(configuration: configuration, timekeeper: ManualTimekeeper())
    }

    private func names(_ configuration: ContentStore.Configuration) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: configuration.directory).sorted()
    }

    private func url(_ path: String) -> HTTPURL { HTTPURL("https://example.org" + path)! }

    @Test("an index that is no database is set aside and begun anew, at most three are kept")
    func unreadableIndex() throws {
        let configuration = try closedStore()
        let index = configuration.directory + "/index.sqlite"
        for _ in 0..<5 {
            try Data(repeating: 7, count: 9_000).write(to: URL(fileURLWithPath: index))
            let store = try open(configuration)
            #expect(try store.usage() == StoreUsage())
            #expect(try store.verify(repair: false).problems == [])
        }
        #expect(try names(configuration).filter { $0.contains("broken") } == (3...5).map { "index.broken-\($0)" })
        let kept = try Data(contentsOf: URL(fileURLWithPath: configuration.directory + "/index.broken-5"))
        #expect(kept == Data(repeating: 7, count: 9_000))
    }

    /// Overwrites the pages of a closed store's index that satisfy a condition.
    private func damage(_ configuration: ContentStore.Configuration, pages isChosen: (Int, Data) -> Bool) throws {
        let index = URL(fileURLWithPath: configuration.directory + "/index.sqlite")
        var bytes = try Data(contentsOf: index)
        var count = 0
        for (number, offset) in stride(from: 0, to: bytes.count, by: 4_096).enumerated()
        where isChosen(number, bytes[offset..<(offset + 4_096)]) {
            bytes.replaceSubrange(offset..<(offset + 4_096), with: Data(repeating: 0xEE, count: 4_096))
            count += 1
        }
        #expect(count > 0)
        try bytes.write(to: index)
    }

    @Test("damage that opening meets sets the index aside at once")
    func damageMetAtOpening() throws {
        let configuration = try closedStore(200)
        try damage(configuration) { number, _ in number >= 1 }
        let store = try open(configuration)
        #expect(try store.usage() == StoreUsage())
        #expect(try store.verify(repair: false).problems == [])
        #expect(try names(configuration).contains("index.broken-1"))
    }

    @Test("damage met later is an error, reported by a check, and sets the index aside when the store is opened next")
    func damageMetLater() throws {
        let configuration = try closedStore(200)
        // The rows themselves; opening reads an index over them only.
        try damage(configuration) { _, page in page.firstRange(of: Data("text/plain".utf8)) != nil }
        do {
            let store = try open(configuration)
            let error = #expect(throws: StoreError.self) { try store.entries(for: url("/7")) }
            #expect(error?.code == .corrupted)
            let problems = try store.verify(repair: false).problems
            #expect(problems.contains { $0.hasPrefix("index:") })
        }
        let store = try open(configuration)
        #expect(try store.verify(repair: false).problems == [])
        #expect(try names(configuration).contains("index.broken-1"))
        #expect(try !names(configuration).contains("index.suspect"))
    }

    @Test("a sound index under suspicion keeps its entries")
    func falseSuspicion() throws {
        let configuration = try closedStore()
        try Data().write(to: URL(fileURLWithPath: configuration.directory + "/index.suspect"))
        #expect(try open(configuration).usage().entryCount == 3)
        #expect(try !names(configuration).contains("index.suspect"))
    }

    @Test("an index without its tables is set aside")
    func missingTables() throws {
        let configuration = try closedStore()
        try SQLiteDatabase(path: configuration.directory + "/index.sqlite").withWriter {
            try $0.execute("DROP TABLE totals")
        }
        let store = try open(configuration)
        #expect(try store.usage() == StoreUsage())
        #expect(try names(configuration).contains("index.broken-1"))
    }

    @Test("an empty index file is begun anew")
    func emptyIndex() throws {
        let configuration = try closedStore()
        try Data().write(to: URL(fileURLWithPath: configuration.directory + "/index.sqlite"))
        #expect(try open(configuration).usage() == StoreUsage())
    }

    @Test("an index of a newer version is refused and left alone")
    func newerIndex() throws {
        let configuration = try closedStore()
        let path = configuration.directory + "/index.sqlite"
        try SQLiteDatabase(path: path).withWriter { try $0.execute("PRAGMA user_version = 99") }
        let error = #expect(throws: StoreError.self) { try open(configuration) }
        #expect(error?.code == .directoryUnusable && error?.description.contains("99") == true)
        try SQLiteDatabase(path: path).withWriter { try $0.execute("PRAGMA user_version = 2") }
        #expect(try open(configuration).usage().entryCount == 3)
    }

    @Test("a place that is no directory is unusable")
    func unusable() throws {
        try Data("file".utf8).write(to: URL(fileURLWithPath: directory.path("file")))
        for path in ["file", "file/below"] {
            let error = #expect(throws: StoreError.self) {
                try open(ContentStore.Configuration(directory: directory.path(path)))
            }
            #expect(error?.code == .directoryUnusable)
        }
    }

    @Test("a relative path is taken from the current directory")
    func relativePath() throws {
        let name = "larder-relative-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: name) }
        let store = try open(ContentStore.Configuration(directory: name))
        #expect(store.index.files.directory == FileManager.default.currentDirectoryPath + "/" + name)
        #expect(FileManager.default.fileExists(atPath: name + "/index.sqlite"))
    }

    @Test("missing directories above the store are made")
    func makesDirectories() throws {
        let store = try open(ContentStore.Configuration(directory: directory.path("a/b/c/")))
        #expect(try store.usage() == StoreUsage())
    }

    @Test("a check removes files without entries and entries without files, and leaves names that are not its own")
    func mends() throws {
        let configuration = try closedStore()
        let bodies = configuration.directory + "/bodies"
        let lost = SHA256Digest.of(Data("body 1".utf8)).hex
        try FileManager.default.removeItem(atPath: "\(bodies)/\(lost.prefix(2))/\(lost)")
        let orphan = SHA256Digest.of(Data("orphan".utf8)).hex
        try FileManager.default.createDirectory(
            atPath: "\(bodies)/\(orphan.prefix(2))", withIntermediateDirectories: true)
        try Data("orphan".utf8).write(to: URL(fileURLWithPath: "\(bodies)/\(orphan.prefix(2))/\(orphan)"))
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(bodies)/\(orphan.prefix(2))/notes.txt"))
        try Data("dead".utf8).write(to: URL(fileURLWithPath: configuration.directory + "/incoming/abcdef"))

        let store = try open(configuration)
        #expect(try FileManager.default.contentsOfDirectory(atPath: configuration.directory + "/incoming") == [])
        #expect(try store.verify(repair: true).problems.count == 2)
        #expect(try store.entries(after: 0, limit: 9).map(\.url) == [url("/0"), url("/2")])
        #expect(!FileManager.default.fileExists(atPath: "\(bodies)/\(orphan.prefix(2))/\(orphan)"))
        #expect(FileManager.default.fileExists(atPath: "\(bodies)/\(orphan.prefix(2))/notes.txt"))
        #expect(try store.verify(repair: false).problems == [])
    }

    @Test("opening a store leaves the bodies that another one is writing")
    func leavesLivingWriters() throws {
        for allowsUnnamed in [true, false] {
            let fixture = try StoreFixture(allowsUnnamed: allowsUnnamed)
            let writer = try fixture.store.beginBody()
            try writer.append(Data("alive".utf8))
            let other = try fixture.reopened()
            try fixture.store.commit(fixture.draft("/a"), body: writer)
            #expect(try fixture.texts("/a") == ["alive"])
            #expect(try other.verify(repair: false).problems == [])
            #expect(fixture.files() == [fixture.bodyPath("alive")])
        }
    }

    @Test("a check finds bodies with other bytes, stray files and wrong totals, and mends them when asked to")
    func verifies() throws {
        let fixture = try StoreFixture()
        try fixture.add("/good", "good")
        let bad = try fixture.add("/bad", "rotten", holder: "n@1")
        try Data("ROTTEN".utf8).write(to: URL(fileURLWithPath: fixture.absolute(fixture.bodyPath("rotten"))))
        let orphan = fixture.absolute(fixture.bodyPath("orphan"))
        try FileManager.default.createDirectory(
            atPath: (orphan as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data("orphan".utf8).write(to: URL(fileURLWithPath: orphan))
        try fixture.store.index.write { try $0.connection.run("UPDATE totals SET pinned_byte_count = 999") }

        let report = try fixture.store.verify(repair: false)
        #expect(report.entriesChecked == 2 && report.bodiesChecked == 2 && !report.repaired)
        #expect(report.problems.count == 3)
        #expect(report.problems.contains { $0.contains(bad.bodyDigest.hex) && $0.contains("other bytes") })
        #expect(report.problems.contains { $0.contains(orphan) && $0.contains("no entry") })
        #expect(report.problems.contains { $0.contains("totals") })
        #expect(try fixture.store.entry(id: bad.id) != nil)

        let repair = try fixture.store.verify(repair: true)
        #expect(repair.repaired && repair.problems.count == 3)
        #expect(
            try fixture.store.verify(repair: true)
                == {
                    var clean = StoreVerification()
                    clean.entriesChecked = 1
                    clean.bodiesChecked = 1
                    return clean
                }())
        #expect(try fixture.texts("/good") == ["good"])
        #expect(fixture.files() == [fixture.bodyPath("good")])
        #expect(try fixture.store.usage().opportunisticByteCount == 4)
    }

    @Test("a row that cannot be read is passed over, reported and removed")
    func unreadableRow() throws {
        let fixture = try StoreFixture(opportunistic: 20)
        let bad = try fixture.add("/bad", "bad bad")
        try fixture.add("/good", "good")
        let spoil = {
            try fixture.store.index.write {
                try $0.connection.run("UPDATE entries SET fields = x'FFFF' WHERE id = ?", bad.id)
            }
        }
        try spoil()
        #expect(try fixture.store.entries(for: bad.url) == [])
        #expect(try fixture.store.verify(repair: true).problems.count == 1)
        #expect(try fixture.store.usage().entryCount == 1)
        #expect(fixture.files() == [fixture.bodyPath("good")])
    }

    @Test("a row that cannot be read stands in the way of no commit and no eviction")
    func unreadableRowInTheWay() throws {
        let fixture = try StoreFixture(opportunistic: 20)
        for path in ["/replaced", "/evicted"] {
            let bad = try fixture.add(path, "bad bad")
            try fixture.store.index.write {
                try $0.connection.run("UPDATE entries SET fields = x'FFFF' WHERE id = ?", bad.id)
            }
        }
        try fixture.add("/replaced", "new")
        #expect(try fixture.texts("/replaced") == ["new"])
        try fixture.add("/large", "eighteen bytes ...")
        #expect(try fixture.texts("/large") == ["eighteen bytes ..."])
        #expect(try fixture.store.verify(repair: false).problems == [])
    }
}
