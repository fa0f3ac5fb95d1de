import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import TestSupport
import Testing
import Wire
import WorldSupport

/// What the app is told of items, in which order, and how often. ``Device`` holds that what is told is so by then.
@Suite(.timeLimit(.minutes(2))) struct ItemChangeTests {
    private let world = World()
    private let policy: DownloadPolicy

    init() {
        world.put("/a", "a")
        world.put("/b", "bb")
        world.put("/c", "ccc", isEssential: false)
        var policy = DownloadPolicy()
        policy.concurrentDownloadsMax = 1
        self.policy = policy
    }

    private func publish(_ segments: [String: [String]]) throws { try world.publish(segments, policy: policy) }

    private func changes(_ device: Device, after count: Int = 0) -> [String] { Array(device.changes.dropFirst(count)) }

    @Test("discovered, started, and downloaded when they can be read: a version's items together, later ones alone")
    func wholeWay() async throws {
        try publish(["news": ["/a", "/b", "/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        #expect(
            device.changes == [
                "discovered /a /b /c", "startedDownloading /a", "startedDownloading /b", "downloaded /a /b",
                "startedDownloading /c", "downloaded /c",
            ])
        #expect(
            device.itemChanges.map { $0.items.first?.state } == [
                .queued, .downloading, .downloading, .ready, .downloading, .ready,
            ])
        await prepositioner.sync()
        _ = try device.prepositioner()
        #expect(device.changes.count == 6)
    }

    @Test("of a new version, what changed; what it no longer has is gone")
    func newVersion() async throws {
        try publish(["news": ["/a", "/b", "/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        let count = device.changes.count
        world.put("/b", "changed")
        try publish(["news": ["/a", "/b"]])
        await prepositioner.sync()
        #expect(
            changes(device, after: count) == [
                "discovered /b", "startedDownloading /b", "downloaded /b", "evicted /c",
            ])
    }

    @Test("what an overtaken version had discovered is not discovered again")
    func overtaken() async throws {
        try publish(["news": ["/a", "/b"]])
        world.answer("/b", with: .init(status: 404))
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        let count = device.changes.count
        #expect(device.changes.last == "failed /b")
        world.put("/d", "dddd")
        try publish(["news": ["/a", "/b", "/d"]])
        await prepositioner.sync()
        #expect(
            changes(device, after: count) == [
                "discovered /d", "startedDownloading /b", "startedDownloading /d", "downloaded /a /b /d",
            ])
    }

    @Test("what is on the device already is downloaded without having been started")
    func reused() async throws {
        try publish(["news": ["/a"], "other": ["/a", "/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        let count = device.changes.count
        prepositioner.subscribe(to: ["news", "other"])
        await prepositioner.sync()
        #expect(
            changes(device, after: count) == [
                "discovered /a /b", "downloaded /a", "startedDownloading /b", "downloaded /b",
            ])
    }

    @Test("what a dropped segment had is evicted, unless another one has it, and told by the last of them")
    func purge() async throws {
        try publish(["news": ["/a", "/b"], "shared": ["/b", "/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news", "shared"])
        await prepositioner.sync()
        let count = device.changes.count
        prepositioner.subscribe(to: ["shared"])
        #expect(changes(device, after: count) == ["evicted /a"])
        await prepositioner.unregister()
        #expect(changes(device, after: count) == ["evicted /a", "evicted /b /c"])
    }

    @Test("what never came is not evicted")
    func neverCame() async throws {
        try publish(["news": ["/a"]])
        let device = try Device(world)
        device.transport.hold("/a")
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.transport.waitForHeld("/a")
        prepositioner.subscribe(to: [])
        device.transport.letGo("/a")
        _ = await sync.value
        #expect(device.changes == ["discovered /a", "startedDownloading /a"])
    }

    @Test("content of dropped segments stays readable when the app wants it, until its budget is used up")
    func keepsDropped() async throws {
        try publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        var overrides = PolicyOverrides()
        overrides.keepsDroppedContent = true
        let chosen = overrides
        let prepositioner = try device.prepositioner { $0.overrides = chosen }
        prepositioner.subscribe(to: ["news"])
        await prepositioner.sync()
        let count = device.changes.count
        prepositioner.subscribe(to: [])
        #expect(changes(device, after: count) == [])
        #expect(try device.body("/a") == "a" && device.body("/b") == "bb")
        #expect(try device.store.usage().pinnedByteCount == 0 && device.store.usage().opportunisticByteCount == 3)
        // Coming back costs nothing.
        prepositioner.subscribe(to: ["news"])
        #expect(await prepositioner.sync().itemsReused == 2)
        #expect(world.requests(for: "/a").count == 1)
        prepositioner.subscribe(to: [])
        try device.store.setBudgets(pinnedByteCountMax: 1_000, opportunisticByteCountMax: 2)
        #expect(try device.store.usage().entryCount == 1)
    }

    @Test("what the store lost is evicted, and comes again without being discovered again")
    func eviction() async throws {
        try publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        let count = device.changes.count
        try device.store.remove(#require(HTTPURL(world.origin + "/a")))
        await device.wait(for: prepositioner) { !$0.isComplete }
        await prepositioner.sync()
        #expect(changes(device, after: count) == ["evicted /a", "startedDownloading /a", "downloaded /a"])
    }

    @Test("a failure is told once, however often it is met, and so is the start")
    func failures() async throws {
        try publish(["news": ["/a"]])
        for _ in 0..<3 { world.answer("/a", with: .init(status: 404)) }
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        for _ in 0..<3 { await prepositioner.sync() }
        #expect(device.changes == ["discovered /a", "startedDownloading /a", "failed /a"])
        #expect(device.itemChanges.last?.items.first?.failure == "the origin answered with status 404")
        await prepositioner.sync()
        #expect(changes(device, after: 3) == ["downloaded /a"])
    }

    @Test("a download that goes on after a break is not started again")
    func goesOn() async throws {
        let large = String(repeating: "0123456789abcdef", count: 16_384)
        world.put("/large", large)
        try publish(["news": ["/large"]])
        world.answer(
            "/large",
            with: .init(fields: [.eTag: world["/large"]?.eTag ?? ""], body: Data(large.utf8), brokenAfter: 90_000))
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(1))
        _ = await sync.value
        #expect(device.changes == ["discovered /large", "startedDownloading /large", "downloaded /large"])
    }

    @Test("what is too large for the policy is discovered and fails")
    func tooLarge() async throws {
        var policy = policy
        policy.fileByteCountMax = 1
        try world.publish(["news": ["/a", "/b"]], policy: policy)
        let device = try Device(world)
        await (try device.subscribed(["news"])).sync()
        #expect(
            device.changes == ["discovered /a /b", "failed /b", "startedDownloading /a", "downloaded /a"])
    }

    @Test("through any history the changes add up to what is on the device")
    func anyHistory() async throws {
        let paths = (0..<12).map { "/n\($0)" }
        let device = try Device(world)
        let prepositioner = try device.subscribed([])
        var generator = SystemRandomNumberGenerator()
        for round in 0..<60 {
            for path in paths where Int.random(in: 0..<4, using: &generator) == 0 || round == 0 {
                world.put(path, "\(path) \(round)", isEssential: Bool.random(using: &generator))
            }
            if Int.random(in: 0..<6, using: &generator) == 0 {
                world.answer(paths.randomElement(using: &generator) ?? "", with: .init(status: 404))
            }
            try publish([
                "news": paths.filter { _ in Bool.random(using: &generator) },
                "shared": paths.filter { _ in Bool.random(using: &generator) },
            ])
            if Bool.random(using: &generator) { await prepositioner.sync() }
            let chosen: [Set<String>] = [[], ["news"], ["shared"], ["news", "shared"]]
            prepositioner.subscribe(to: chosen.randomElement(using: &generator) ?? [])
            await prepositioner.sync()
            try expectSum(device)
        }
    }

    private func expectSum(_ device: Device) throws {
        var onDevice: Set<String> = []
        for change in device.itemChanges {
            for item in change.items {
                if change.kind == .downloaded { onDevice.insert(item.url) }
                if change.kind == .evicted { #expect(onDevice.remove(item.url) != nil, "\(item.url) was not there") }
            }
        }
        let entries = try device.store.entries(after: 0, limit: 1_000).filter { !$0.isStaged }
        #expect(onDevice == Set(entries.map(\.url.string)))
    }
}
