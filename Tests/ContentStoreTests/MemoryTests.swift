import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import ContentStore

/// What memory keeps of the store, and when it is no longer true.
@Suite struct MemoryTests {
    @Test("what has not changed is read from the index once")
    func kept() throws {
        let fixture = try StoreFixture(inline: 1_000)
        let entry = try fixture.add("/a", "text")
        #expect(fixture.store.remembered(for: entry.url) == nil)
        let first = try fixture.store.ready(for: entry.url)
        #expect(first.entries == [entry])
        #expect(try fixture.store.ready(for: entry.url) === first)
        #expect(fixture.store.remembered(for: entry.url) === first)
        #expect(try fixture.store.body(of: entry, in: first) === fixture.store.body(of: entry, in: first))
        fixture.store.releaseMemory()
        #expect(fixture.store.remembered(for: entry.url) == nil)
    }

    /// Every way to change what a URL is answered with.
    private static let changes: [(String, @Sendable (ContentStore, StoreFixture, StoreEntry) throws -> Void)] = [
        ("update", { try $0.update(entryID: $2.id, fields: ["New": "1"], requestTime: Date(), responseTime: Date()) }),
        ("invalidate", { store, _, entry in try store.invalidate(entry.url) }),
        ("remove", { store, _, entry in try store.remove(entry.url) }),
        ("replace", { store, fixture, _ in try fixture.add("/a", Data("new".utf8), to: store) }),
        ("hold", { store, _, entry in try store.hold(entryID: entry.id, holder: "n@2") }),
        ("release", { store, _, _ in try store.release(holders: ["n@1"]) }),
        ("clear", { store, _, _ in try store.removeAll() }),
        ("move out", { store, _, entry in _ = try store.file(of: entry) }),
        (
            "activate",
            { store, fixture, _ in
                try fixture.add("/a", Data("staged".utf8), holder: "n@2", isStaged: true, to: store)
                try store.activate(holder: "n@2", replacing: ["n@1"])
            }
        ),
    ]

    @Test("a change by this or another hand is seen at once", arguments: changes.map(\.0), [false, true])
    func changed(name: String, isForeign: Bool) throws {
        let fixture = try StoreFixture(inline: 1_000)
        let entry = try fixture.add("/a", "text", holder: "n@1")
        let elsewhere = try fixture.add("/elsewhere", "kept")
        let other = isForeign ? try fixture.reopened() : fixture.store
        let kept = try fixture.store.ready(for: entry.url)
        #expect(fixture.store.remembered(for: entry.url) === kept)
        let change = try #require(Self.changes.first { $0.0 == name }?.1)
        try change(other, fixture, entry)
        #expect(fixture.store.remembered(for: entry.url) == nil)
        #expect(try fixture.store.ready(for: entry.url).entries == fixture.store.entries(for: entry.url))
        if name != "clear" { #expect(try fixture.store.ready(for: elsewhere.url).entries == [elsewhere]) }
    }

    @Test("an eviction is seen at once")
    func evicted() throws {
        let fixture = try StoreFixture(opportunistic: 10, inline: 1_000)
        let entry = try fixture.add("/a", "text")
        _ = try fixture.store.ready(for: entry.url)
        try fixture.add("/b", "more text")
        #expect(fixture.store.remembered(for: entry.url) == nil)
        #expect(try fixture.store.ready(for: entry.url).entries == [])
    }

    @Test("a change by another process is seen at once")
    func otherProcess() throws {
        let fixture = try StoreFixture(inline: 1_000)
        let entry = try fixture.add("/a", "text")
        let kept = try fixture.store.ready(for: entry.url)
        #expect(fixture.store.remembered(for: entry.url) === kept)
        let process = Process()
        process.executableURL = try builtProduct(named: "StoreSubject")
        process.arguments = ["--invalidate", fixture.configuration.directory, entry.url.string]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(try fixture.store.ready(for: entry.url).entries.map(\.isInvalidated) == [true])
    }

    @Test("after a writer that died inside its change nothing of its slot is kept, until the store is opened alone")
    func deadWriter() throws {
        let fixture = try StoreFixture(inline: 1_000)
        let entry = try fixture.add("/a", "text")
        _ = try fixture.store.ready(for: entry.url)
        do {
            let dying = try #require(Generations(path: fixture.configuration.directory + "/generations"))
            var touched = SlotSet()
            touched.insert(Generations.slot(of: fixture.store.index.hasher.hash(entry.url.string)))
            dying.start(touched)
        }
        for _ in 0..<2 {
            #expect(fixture.store.remembered(for: entry.url) == nil)
            #expect(try fixture.store.ready(for: entry.url).entries == [entry])
        }
        // Not alone: the first store is open still.
        let second = try fixture.reopened()
        _ = try second.ready(for: entry.url)
        #expect(second.remembered(for: entry.url) == nil)
    }

    @Test("who opens a store alone evens out what dead writers left")
    func evensOut() throws {
        let directory = try TemporaryDirectory()
        let url: HTTPURL
        do {
            let fixture = try StoreFixture(in: directory, inline: 1_000)
            url = try fixture.add("/a", "text").url
            var touched = SlotSet()
            touched.insert(Generations.slot(of: fixture.store.index.hasher.hash(url.string)))
            fixture.store.index.generations?.start(touched)
        }
        // A process that another test is starting shares this one's locks for a moment.
        for _ in 0..<10_000 {
            let fixture = try StoreFixture(in: directory, inline: 1_000)
            _ = try fixture.store.ready(for: url)
            if fixture.store.remembered(for: url) != nil { return }
        }
        Issue.record("the counters stay uneven")
    }

    @Test("memory is bounded, and keeps what is used")
    func bounded() throws {
        var fixture = try StoreFixture(inline: 1_000)
        let entries = try (0..<300).map { try fixture.add("/\($0)", sampleBytes(900, seed: UInt64($0))) }
        fixture.configuration.memoryByteCountMax = 8 * 24_000
        let store = try fixture.reopened()
        for entry in entries {
            _ = try store.ready(for: entry.url)
            _ = try store.ready(for: entries[7].url)
        }
        let kept = entries.filter { store.remembered(for: $0.url) != nil }
        #expect(kept.count > 16 && kept.count < 120)
        #expect(store.remembered(for: entries[7].url) != nil)
        fixture.configuration.memoryByteCountMax = 0
        let without = try fixture.reopened()
        #expect(try without.ready(for: entries[0].url).entries == [entries[0]])
        #expect(without.remembered(for: entries[0].url) == nil)
    }

    @Test("without the file of generations nothing is kept, and everything works")
    func unmapped() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path("store/generations"), withIntermediateDirectories: true)
        let fixture = try StoreFixture(in: directory, inline: 1_000)
        let entry = try fixture.add("/a", "text")
        #expect(try fixture.store.ready(for: entry.url).entries == [entry])
        #expect(fixture.store.remembered(for: entry.url) == nil)
        #expect(try fixture.texts("/a") == ["text"])
    }

    @Test("threads that read and change at once never see what is no longer true")
    func threads() async throws {
        let fixture = try StoreFixture(inline: 1_000)
        let url = fixture.url("/a")
        let stores = [fixture.store, try fixture.reopened()]
        try fixture.add("/a", "0")
        let committed = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 1...150 {
                    try fixture.add("/a", Data("\(number)".utf8), to: stores[number % 2])
                    committed.withLock { $0 = number }
                }
            }
            for reader in 0..<3 {
                group.addTask {
                    while committed.withLock({ $0 }) < 150 {
                        let before = committed.withLock { $0 }
                        let ready = try stores[reader % 2].ready(for: url)
                        let entry = try #require(ready.entries.first)
                        guard let body = try? stores[reader % 2].body(of: entry, in: ready).data() else { continue }
                        #expect(try #require(Int(String(decoding: body, as: UTF8.self))) >= before)
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
