import Conditions
import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import TestSupport
import Testing
import Transport
import Wire
import WorldSupport

/// A device before a ``World``: store, clock, and everything the pre-positioner told.
final class Device: Sendable {
    let world: World
    let transport: WorldTransport
    let clock = ManualTimekeeper()
    let activity = ActivityGate()
    let directory: TemporaryDirectory
    let store: ContentStore
    let conditions = ManualConditions()
    private let told = Locked<[TelemetryItem]>([])
    private let changed = Locked<[ItemChange]>([])
    private let released = Locked<[Int?]>([])

    init(_ world: World, directory: TemporaryDirectory? = nil, chunkByteCount: Int = 16 << 10) throws {
        self.world = world
        self.directory = try directory ?? TemporaryDirectory()
        transport = WorldTransport(world, chunkByteCount: chunkByteCount)
        store = try ContentStore(configuration: .init(directory: self.directory.path("store")), timekeeper: clock)
    }

    func prepositioner(_ change: (inout Prepositioner.Configuration) -> Void = { _ in }) throws -> Prepositioner {
        var configuration = Prepositioner.Configuration(
            serverURL: HTTPURL("http://plane.test")!, apiKey: "key", bundleID: "com.example.app",
            directory: directory.path("prepositioning"), sdkVersion: "1.0")
        configuration.randomFraction = { 1 }
        configuration.conditions = conditions
        configuration.timeZone = { .gmt }
        change(&configuration)
        var listener = Prepositioner.Listener()
        listener.onTelemetry = { [told] item in told.withLock { $0.append(item) } }
        listener.onItemChange = { [changed, store] change in
            changed.withLock { $0.append(change) }
            guard change.kind == .downloaded || change.kind == .evicted else { return }
            for item in change.items {
                // Told when it is so, never before.
                let isThere = HTTPURL(item.url).flatMap { try? !store.entries(for: $0).isEmpty }
                #expect(isThere == (change.kind == .downloaded), "\(change.kind) \(item.url)")
            }
        }
        listener.onRelease = { [released] release in released.withLock { $0.append(release?.version) } }
        return try Prepositioner(
            configuration: configuration, store: store, transport: transport, activity: activity, timekeeper: clock,
            listener: listener)
    }

    /// Returns once a pre-positioner's status is as it shall be.
    func wait(for prepositioner: Prepositioner, until isReached: (Prepositioner.Status) -> Bool) async {
        for await status in prepositioner.statuses() where isReached(status) { return }
    }

    /// A pre-positioner that subscribes to segments.
    func subscribed(_ segments: Set<String>) throws -> Prepositioner {
        let prepositioner = try prepositioner()
        prepositioner.subscribe(to: segments)
        return prepositioner
    }

    /// The changes of items told so far.
    var itemChanges: [ItemChange] { changed.withLock { $0 } }

    /// The same as "discovered /a /b".
    var changes: [String] {
        itemChanges.map { change in
            change.items.reduce(change.kind.rawValue) { $0 + " " + (HTTPURL($1.url)?.path ?? $1.url) }
        }
    }

    /// The versions of the releases told so far.
    var releases: [Int?] { released.withLock { $0 } }

    var telemetry: [TelemetryItem] { told.withLock { $0 } }

    /// The outcomes told so far, as "news@1 /a prepositioned".
    var outcomes: [String] {
        telemetry.compactMap { item in
            guard case .outcome(let outcome) = item else { return nil }
            let path = HTTPURL(outcome.url)?.path ?? outcome.url
            return "\(outcome.segment)@\(outcome.version) \(path) \(outcome.outcome.rawValue)"
        }
    }

    var progress: [SegmentProgress] {
        telemetry.compactMap { item in
            if case .progress(let progress) = item { progress } else { nil }
        }
    }

    /// The visible body at a path of the origin; `nil` when there is none.
    func body(_ path: String) throws -> String? {
        guard let entry = try entry(path) else { return nil }
        return String(decoding: try store.body(of: entry).data(), as: UTF8.self)
    }

    func entry(_ path: String) throws -> StoreEntry? {
        try store.entries(for: HTTPURL(world.origin + path)!).first
    }

    var partialNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.path("prepositioning/partial"))
        }
    }

    func exchange(_ path: String, _ outcome: ExchangeRecord.Outcome, segments: [String] = []) -> ExchangeRecord {
        ExchangeRecord(
            date: clock.now, method: "GET", url: world.origin + path, status: 200, outcome: outcome, cacheStatus: "",
            firstByteMicroseconds: 0, totalMicroseconds: 0, bodyByteCount: 0, wireByteCount: 0, segments: segments)
    }
}
