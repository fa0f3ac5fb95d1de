import Foundation
import HTTPModel
import Prepositioning
import TestSupport
import Testing
import Wire
import WorldSupport

/// Syncs in a time that somebody else sets, and several calls on one sync.
@Suite(.timeLimit(.minutes(2))) struct BoundedSyncTests {
    private let world = World()
    private let large = String(repeating: "0123456789abcdef", count: 16_384)

    init() {
        world.put("/a", "first")
        world.put("/large", large)
    }

    @Test("comes to its end by itself when there is time enough, with an exact result")
    func inTime() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        #expect(
            await prepositioner.sync(within: .seconds(30)) == .init(itemsDownloaded: 1, isFinished: true, failures: []))
        #expect(
            await prepositioner.sync(within: .seconds(30)) == .init(itemsDownloaded: 0, isFinished: true, failures: []))
        world.isOffline = true
        let failed = await prepositioner.sync(within: .seconds(30))
        #expect(failed.isFinished && failed.failures.count == 1)
    }

    @Test("breaks a download off that stalls, keeps what came, and lets the next sync go on there")
    func stalled() async throws {
        var policy = DownloadPolicy()
        policy.bytesPerSecondMax = 16_384
        try world.publish(["news": ["/large"]], policy: policy)
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let bounded = Task { await prepositioner.sync(within: .milliseconds(3_500)) }
        // The limit, and the pace of the download.
        for _ in 0..<3 {
            await device.clock.waitForSleepers(2)
            device.clock.advance(by: .seconds(1))
        }
        await device.clock.waitForSleepers(2)
        device.clock.advance(by: .milliseconds(500))
        let result = await bounded.value
        #expect(!result.isFinished && result.itemsDownloaded == 0)
        #expect(prepositioner.status.items.map(\.state) == [.queued] && !prepositioner.status.isSyncing)
        try world.publish(["news": ["/large"]])
        #expect(await prepositioner.sync().itemsDownloaded == 1)
        #expect(world.requests(for: "/large").last?.head.fields[.range] == "bytes=65536-")
        #expect(try device.body("/large") == large)
    }

    @Test(
        "returns in time whichever of the server's answers stalls",
        arguments: ["/v1/devices", "/v1/apps/app-1/release", "/a"])
    func stalledServer(path: String) async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        device.transport.hold(path)
        let bounded = Task { await prepositioner.sync(within: .seconds(25)) }
        await device.transport.waitForHeld(path)
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(25))
        #expect(await bounded.value.isFinished == false)
        #expect(!prepositioner.status.isSyncing)
        device.transport.letGo(path)
        #expect(await prepositioner.sync().itemsDownloaded == 1)
    }

    @Test("does not hurt a sync that the app waits for, and counts only what came in its own time")
    func joins() async throws {
        world.put("/b", "second body")
        var policy = DownloadPolicy()
        policy.concurrentDownloadsMax = 1
        try world.publish(["news": ["/a", "/b", "/large"]], policy: policy)
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        device.transport.hold("/b")
        device.transport.hold("/large")
        let own = Task { await prepositioner.sync() }
        await device.transport.waitForHeld("/b")
        let bounded = Task { await prepositioner.sync(within: .seconds(25)) }
        await device.clock.waitForSleepers()
        device.transport.letGo("/b")
        await device.transport.waitForHeld("/large")
        device.clock.advance(by: .seconds(25))
        let result = await bounded.value
        #expect(!result.isFinished && result.itemsDownloaded == 1)
        #expect(prepositioner.status.isSyncing)
        device.transport.letGo("/large")
        let report = await own.value
        #expect(report.itemsDownloaded == 3 && report.failures == [])
    }

    @Test("a sync that everyone has left ends, and the next one begins anew")
    func abandoned() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        device.transport.hold("/a")
        let calls = (0..<3).map { _ in Task { await prepositioner.sync() } }
        await device.transport.waitForHeld("/a")
        for call in calls { call.cancel() }
        let last = Task { await prepositioner.sync() }
        device.transport.letGo("/a")
        for call in calls { _ = await call.value }
        _ = await last.value
        #expect(prepositioner.status.isComplete)
        #expect(try device.body("/a") == "first")
    }
}
