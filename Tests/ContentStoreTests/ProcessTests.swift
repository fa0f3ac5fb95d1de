import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import ContentStore

/// Processes that share a store, and die while they change it.
@Suite struct ProcessTests {
    let directory: TemporaryDirectory
    var storePath: String { directory.path("store") }

    init() throws { directory = try TemporaryDirectory() }

    @Test("a process killed at any instant leaves a store that opens, whole, without a stray file")
    func killed() throws {
        var filledCount = 0
        for round in 0..<120 {
            let isNamed = round % 6 == 5
            let (process, output) = try start(seed: UInt64(round), segment: "s", isNamed: isNamed)
            // Every fourth process dies while it starts and opens the store, the others while they change it.
            if round % 4 != 3 { _ = try output.read(upToCount: 5) }
            // Not a wait for anything: the random instant itself.
            usleep(.random(in: 0..<30_000))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal)
            if try expectWhole(round: round) > 0 { filledCount += 1 }
        }
        // Guards the test itself: stores that stay empty would show nothing.
        #expect(filledCount > 60)
    }

    @Test("two processes change one store at once and find it whole", arguments: [false, true])
    func together(isNamed: Bool) throws {
        let processes = try (0..<2).map {
            try start(seed: UInt64($0 + 1_000), segment: "s\($0)", steps: 150, isNamed: isNamed).0
        }
        for process in processes {
            process.waitUntilExit()
            #expect(process.terminationReason == .exit && process.terminationStatus == 0)
        }
        try expectWhole(round: 0)
    }

    @Test("a process lives on while others open the same store and are killed")
    func survivor() throws {
        let (survivor, _) = try start(seed: 77, segment: "long", steps: 300)
        for round in 0..<15 {
            let (victim, output) = try start(seed: UInt64(round + 2_000), segment: "short")
            _ = try output.read(upToCount: 5)
            usleep(.random(in: 0..<20_000))
            kill(victim.processIdentifier, SIGKILL)
            victim.waitUntilExit()
        }
        survivor.waitUntilExit()
        #expect(survivor.terminationReason == .exit && survivor.terminationStatus == 0)
        try expectWhole(round: 0)
    }

    @Test("storing and streaming a large body takes a few MiB of memory")
    func constantMemory() throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = try builtProduct(named: "StoreSubject")
        process.arguments = ["--stream", storePath, "256"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let growth = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(growth < 8 << 10, "\(growth) KiB")
        print("storing and streaming 256 MiB: \(growth) KiB")
    }

    private func start(seed: UInt64, segment: String, steps: Int? = nil, isNamed: Bool = false) throws
        -> (Process, FileHandle)
    {
        let process = Process()
        let output = Pipe()
        process.executableURL = try builtProduct(named: "StoreSubject")
        process.arguments =
            [storePath, "\(seed)", segment] + (steps.map { ["\($0)"] } ?? []) + (isNamed ? ["--named"] : [])
        process.standardOutput = output
        try process.run()
        return (process, output.fileHandleForReading)
    }

    /// Opens the store as the next process would, and holds everything in it against everything else.
    /// - Returns: the number of entries.
    @discardableResult
    private func expectWhole(round: Int) throws -> Int {
        let configuration = ContentStore.Configuration(directory: storePath)
        let store = try ContentStore(configuration: configuration, timekeeper: SystemTimekeeper())
        #expect(try store.verify(repair: false).problems == [], "round \(round)")
        let entries = try store.entries(after: 0, limit: .max)
        for entry in entries {
            let data = try store.body(of: entry).data()
            #expect(SHA256Digest.of(data) == entry.bodyDigest, "round \(round)")
        }
        let names = FileManager.default.enumerator(atPath: storePath)?.compactMap { $0 as? String } ?? []
        let files = Set(names.filter { $0.hasPrefix("bodies/") && $0.utf8.count > "bodies/ab".utf8.count })
        let inFiles = entries.filter { !$0.isInline }
        #expect(files == Set(inFiles.map { "bodies/\($0.bodyDigest.hex.prefix(2))/\($0.bodyDigest.hex)" }))
        #expect(names.filter { $0.hasPrefix("incoming/") } == [], "round \(round)")
        #expect(names.filter { $0.hasPrefix("index.broken") } == [], "round \(round)")
        // Versions are switched as a whole.
        let visible = entries.filter { !$0.isStaged && $0.url.path.hasPrefix("/s/") }
        let versions = Set(visible.compactMap { $0.response.fields["Version"] })
        #expect(versions.count <= 1 && [0, 5].contains(visible.count), "round \(round)")
        return entries.count
    }
}
