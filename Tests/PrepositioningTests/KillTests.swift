import ContentStore
import Cryptography
import Foundation
import HTTPModel
import Primitives
import Telemetry
import TestSupport
import Testing
import Wire
import WorldSupport

@testable import Prepositioning

/// A device is killed at random instants; whatever it was doing, the next start finds everything in order.
@Suite(.serialized) struct KillTests {
    private static let killCount = 200
    private static let directoryCount = 8

    @Test("finds store, journal and queue intact after each of 200 kills, and everything arrives in the end")
    func survivesKills() async throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("KillTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var interrupted = 0
        for index in 0..<Self.directoryCount {
            let killed = try KilledDevice(seed: random.next())
            for _ in 0..<Self.killCount / Self.directoryCount {
                try await killed.runAndKill(after: .milliseconds(Int.random(in: 20...150, using: &random)))
                try killed.expectIntact()
                if Int.random(in: 0..<6, using: &random) == 0 { try killed.publishNext() }
            }
            interrupted += try await killed.finish()
            print("KillTests: directory \(index + 1) of \(Self.directoryCount) done")
        }
        // The kills would show nothing if they never fell into the work.
        #expect(interrupted > 0)
        print("KillTests: \(Self.killCount) kills, \(interrupted) downloads went on with Range")
    }
}

/// One directory and the processes that are killed in it.
private final class KilledDevice {
    private let server: WorldServer
    private let directory: TemporaryDirectory
    private var random: SeededGenerator
    private var runCount = 0
    private var version = 0
    /// How many events of each run are known to be durable.
    private var durable: [String: Int] = [:]
    private let paths = (0..<24).map { "/item\($0)" }

    init(seed: UInt64) throws {
        server = try WorldServer(chunkPause: 5)
        directory = try TemporaryDirectory()
        random = SeededGenerator(seed: seed)
        try publishNext()
    }

    /// Publishes a version in which some items changed.
    func publishNext() throws {
        version += 1
        for (index, path) in paths.enumerated() where version == 1 || Int.random(in: 0..<3, using: &random) == 0 {
            let byteCount = index % 4 == 0 ? 150_000 + index * 5_000 : 500 + index * 300
            let byte = UInt8.random(in: .min ... .max, using: &random)
            server.world.put(
                path, Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0) ^ byte }), isEssential: index % 5 != 0,
                // Large ones first, so that the kills fall into them.
                priority: index % 4 == 0 ? 0 : 1)
        }
        try server.world.publish(["news": Array(paths.prefix(18)), "shared": Array(paths.suffix(12))])
    }

    private func start(_ mode: String) throws -> KillableProcess {
        runCount += 1
        return try KillableProcess(
            builtProduct(named: "PrepositioningSubject"), [server.origin, directory.path, "run\(runCount)", mode],
            outputPath: directory.path("output"))
    }

    private func noteDurable(_ output: String) {
        for line in output.split(separator: "\n") where line.hasPrefix("durable ") {
            durable["run\(runCount)"] = Int(line.dropFirst("durable ".count))
        }
    }

    func runAndKill(after pause: DispatchTimeInterval) async throws {
        noteDurable(await (try start("forever")).kill(after: pause))
    }

    /// What the next process will find.
    func expectIntact() throws {
        let clock = SystemTimekeeper()
        let store = try ContentStore(configuration: .init(directory: directory.path("store")), timekeeper: clock)
        let verification = try store.verify(repair: false)
        #expect(verification.problems == [])
        let device = try Prepositioner(
            configuration: Self.configuration(directory.path("prepositioning")), store: store,
            transport: WorldTransport(World()), activity: ActivityGate(), timekeeper: clock)
        let state = device.state.withLock { ($0.plan, $0.lastFailure) }
        #expect(state.1 == nil)
        try expectConsistent(state.0, store)
        let queue = TelemetryQueue(
            configuration: .init(directory: directory.path("telemetry")), timekeeper: clock
        ) { UUID().uuidString }
        #expect(queue.storageFailure == nil)
        #expect(
            !FileManager.default.fileExists(atPath: directory.path("telemetry/telemetry.sqlite.broken"))
                && !FileManager.default.fileExists(atPath: directory.path("prepositioning/journal.sqlite.broken")))
    }

    private func partials() throws -> [String] {
        let path = directory.path("prepositioning/partial")
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path)
    }

    /// Journal and store agree: what is active is whole, and every body is the one of its manifest.
    private func expectConsistent(_ plan: PrepositioningPlan, _ store: ContentStore) throws {
        #expect(try store.holders().isSubset(of: plan.holders))
        let versions = Array(plan.active.values) + Array(plan.pending.values)
        for version in versions {
            #expect(!version.isActive || version.isWhole)
            let entries = try store.entries(heldBy: version.holder).map { ($0.url.string, $0) }
            let held = Dictionary(entries) { first, _ in first }
            for (url, planned) in version.items where planned.state == .ready {
                // A URL has one visible body: of two segments with the same URL the one that switched last decides.
                let digests = Set(versions.compactMap { $0.items[url]?.item.sha256 })
                let entry = try #require(held[url.normalizedURL])
                #expect(digests.contains(entry.bodyDigest))
                #expect(!version.isActive || !entry.isStaged)
            }
        }
        // What a killed transfer left is of use later, or gone.
        #expect(Set(try partials()).isSubset(of: plan.wantedDigests))
    }

    /// Lets a last process come to its end, and checks what arrived on both sides.
    /// - Returns: how many downloads went on where a killed one ended.
    func finish() async throws -> Int {
        let (status, output) = await (try start("finish")).end()
        #expect(status == 0, "\(output.suffix(2_000))")
        noteDurable(output)
        try expectIntact()
        try expectContent()
        expectEvents()
        return server.world.requests.count { $0.head.fields.contains(.range) }
    }

    private func expectContent() throws {
        let store = try ContentStore(
            configuration: .init(directory: directory.path("store")), timekeeper: SystemTimekeeper())
        let content = try described(store)
        for path in paths {
            let entries = try store.entries(for: HTTPURL(server.origin + path)!)
            let entry = try #require(entries.first, "\(path) is not visible; \(content)")
            #expect(try store.body(of: entry).data() == server.world[path]?.body)
        }
        #expect(try partials() == [])
    }

    /// What the store holds, for the message of a failure.
    private func described(_ store: ContentStore) throws -> String {
        let entries = try store.entries(after: 0, limit: 100)
        return "version \(version): "
            + entries.map { "\($0.url.path) \($0.isStaged ? "staged" : "visible") \($0.holders.sorted())" }
            .joined(separator: ", ")
    }

    /// Every durable event arrived once; none arrived twice.
    private func expectEvents() {
        var counts: [String: Int] = [:]
        for batch in server.world.batches {
            #expect(batch.losses.isEmpty)
            for case .event(let event) in batch.items { counts[event.name, default: 0] += 1 }
        }
        #expect(counts.values.allSatisfy { $0 == 1 })
        for (run, count) in durable {
            let missing = (0..<count).filter { counts["\(run)-\($0)"] == nil }
            #expect(missing.isEmpty, "\(run) lost \(missing)")
        }
        #expect(!durable.isEmpty)
    }

    private static func configuration(_ directory: String) -> Prepositioner.Configuration {
        var configuration = Prepositioner.Configuration(
            serverURL: HTTPURL("http://nobody.test")!, apiKey: "key", bundleID: "com.example.subject",
            directory: directory, sdkVersion: "test")
        // The first process may have died before it saw the key.
        configuration.initialSegments = ["news", "shared"]
        return configuration
    }
}
