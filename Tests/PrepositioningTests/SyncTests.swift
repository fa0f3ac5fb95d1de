import ContentStore
import Cryptography
import Foundation
import HTTPModel
import Prepositioning
import TestSupport
import Testing
import Wire
import WorldSupport

@Suite struct SyncTests {
    private let world = World()

    init() {
        world.put("/a", "first")
        world.put("/b", "second body")
        world.put("/c", "third", isEssential: false)
    }

    @Test("registers, downloads every item of the subscribed segments, and shows them together")
    func wholeWay() async throws {
        try world.publish(["news": ["/a", "/b"], "other": ["/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let report = await prepositioner.sync()
        #expect(report.failures == [])
        #expect(report.releaseVersion == 1 && report.itemsDownloaded == 2 && report.itemsFailed == 0)
        #expect(report.wireByteCount == 16)
        #expect(try device.body("/a") == "first" && device.body("/b") == "second body" && device.body("/c") == nil)
        #expect(try device.entry("/a")?.holders == ["news@1"])
        let status = prepositioner.status
        #expect(status.isComplete && !status.isSyncing && status.isEnabled && status.lastFailure == nil)
        #expect(
            status.registration == .registered(deviceID: "device-1", deviceToken: "token-1", appID: World.app))
        #expect(status.activeVersions == ["news": 1] && status.releaseVersion == 1)
        #expect(status.items.map(\.state) == [.ready, .ready])
        #expect(status.items.map(\.bytesReceived) == [5, 11])
        #expect(device.outcomes.sorted() == ["news@1 /a prepositioned", "news@1 /b prepositioned"])
        let last = try #require(device.progress.last)
        #expect(last.itemsReady == 2 && last.itemsTotal == 2 && last.isActive)
    }

    @Test("asks for items with the lowest priority and as they are")
    func requestFields() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        await (try device.subscribed(["news"])).sync()
        let request = try #require(world.requests(for: "/a").first?.head)
        #expect(request.fields[.priority] == "u=7")
        #expect(request.fields[.acceptEncoding] == "identity")
        let entry = try #require(try device.entry("/a"))
        #expect(entry.response.status == 200)
        #expect(entry.response.fields[.contentType] == "text/plain")
        #expect(entry.response.fields[.contentLength] == "5")
    }

    @Test("asks for encoded items in the codings it can decode")
    func encodedItems() async throws {
        world.put("/z", String(repeating: "z", count: 100_000), encoding: "br")
        try world.publish(["news": ["/z"]])
        let device = try Device(world)
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.failures == [] && report.itemsDownloaded == 1)
        #expect(world.requests(for: "/z").first?.head.fields[.acceptEncoding] == "gzip, br, zstd")
        #expect(try device.partialNames == [])
    }

    @Test("stores what the origin says, without hop-by-hop fields and with the fields that Vary names")
    func storedFields() async throws {
        var content = try #require(world["/a"])
        content.fields = [
            .connection: "close, X-Hop", "X-Hop": "1", "Keep-Alive": "timeout=5", .vary: "Accept-Encoding, Priority",
            "X-Kept": "yes",
        ]
        world["/a"] = content
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        await (try device.subscribed(["news"])).sync()
        let entry = try #require(try device.entry("/a"))
        #expect(entry.response.fields["X-Kept"] == "yes")
        for name: HTTPFieldName in [.connection, "X-Hop", "Keep-Alive"] {
            #expect(!entry.response.fields.contains(name))
        }
        #expect(entry.requestFields[.acceptEncoding] == "gzip, br, zstd" && entry.requestFields[.priority] == "u=7")
    }

    @Test("knows after a restart, without network, what it has")
    func survivesRestart() async throws {
        try world.publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        await (try device.subscribed(["news"])).sync()
        world.isOffline = true
        let told = device.telemetry.count
        let again = try device.prepositioner()
        #expect(again.status.isComplete && again.status.activeVersions == ["news": 1])
        #expect(again.status.subscribedSegments == ["news"] && again.status.releaseVersion == 1)
        let report = await again.sync()
        #expect(report.failures.count == 1 && report.releaseVersion == 1)
        #expect(try device.body("/a") == "first")
        #expect(device.telemetry.count == told)
    }

    @Test("moves nothing when nothing changed: one conditional request, and the question whether the device is wanted")
    func conditionalPointer() async throws {
        try world.publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        world.forgetRequests()
        let report = await prepositioner.sync()
        #expect(report.failures == [] && report.itemsDownloaded == 0)
        #expect(world.requests.map(\.path) == ["/v1/devices/device-1", "/v1/apps/app-1/release"])
        #expect(world.requests.first?.head.fields[.authorization] == "Bearer token-1")
        #expect(world.requests.last?.head.fields[.ifNoneMatch] != nil)
    }

    @Test("moves only what changed to a new version, and tells what became of the old items")
    func newVersion() async throws {
        try world.publish(["news": ["/a", "/b", "/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        prepositioner.noteExchange(device.exchange("/b", .pinnedHit, segments: ["news"]))
        world.put("/b", "changed")
        world.put("/c", "changed too")
        try world.publish(["news": ["/a", "/b", "/c"]])
        world.forgetRequests()
        let report = await prepositioner.sync()
        #expect(report.itemsReused == 1 && report.itemsDownloaded == 2)
        #expect(world.requests(for: "/a").isEmpty)
        #expect(try device.body("/a") == "first" && device.body("/b") == "changed")
        #expect(try device.entry("/a")?.holders == ["news@2"])
        #expect(try device.store.holders() == ["news@2"])
        #expect(device.outcomes.contains("news@1 /b used"))
        #expect(device.outcomes.contains("news@1 /b replaced"))
        #expect(device.outcomes.contains("news@1 /c unused"))
        #expect(!device.outcomes.contains("news@2 /a prepositioned"))
        #expect(!device.outcomes.contains { $0.hasPrefix("news@1 /a") && !$0.hasSuffix("prepositioned") })
    }

    @Test("serves the old version until every essential item of the new one is there")
    func atomicSwitch() async throws {
        try world.publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        world.put("/a", "first'")
        world.put("/b", "second'")
        try world.publish(["news": ["/a", "/b"]])
        device.transport.hold("/b")
        let sync = Task { await prepositioner.sync() }
        await device.transport.waitForHeld("/b")
        var statuses = prepositioner.statuses().makeAsyncIterator()
        while let status = await statuses.next(), !status.items.contains(where: { $0.state == .ready }) {}
        #expect(prepositioner.status.activeVersions == ["news": 1])
        #expect(try device.body("/a") == "first" && device.body("/b") == "second body")
        device.transport.letGo("/b")
        _ = await sync.value
        #expect(prepositioner.status.activeVersions == ["news": 2])
        #expect(try device.body("/a") == "first'" && device.body("/b") == "second'")
    }

    @Test("does not wait for optional items, which appear when they come")
    func optionalItems() async throws {
        try world.publish(["news": ["/a", "/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        device.transport.hold("/c")
        let sync = Task { await prepositioner.sync() }
        await device.transport.waitForHeld("/c")
        var statuses = prepositioner.statuses().makeAsyncIterator()
        while let status = await statuses.next(), status.activeVersions.isEmpty {}
        #expect(try device.body("/a") == "first" && device.body("/c") == nil)
        device.transport.letGo("/c")
        _ = await sync.value
        #expect(try device.body("/c") == "third")
        #expect(prepositioner.status.isComplete)
    }

    @Test("purges what no subscribed segment holds, at once, and keeps what another one does")
    func purge() async throws {
        try world.publish(["news": ["/a", "/b"], "shared": ["/b", "/c"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news", "shared"])
        let report = await prepositioner.sync()
        #expect(report.itemsDownloaded == 3 && report.itemsReused == 1)
        #expect(try device.entry("/b")?.holders == ["news@1", "shared@1"])
        prepositioner.subscribe(to: ["shared"])
        #expect(try device.body("/a") == nil)
        #expect(try device.body("/b") == "second body" && device.body("/c") == "third")
        #expect(prepositioner.status.activeVersions == ["shared": 1])
        #expect(device.outcomes.contains("news@1 /a unused"))
        prepositioner.subscribe(to: [])
        #expect(try device.store.usage().entryCount == 0)
    }

    @Test("holds an entry that is there by chance instead of downloading it")
    func reusesOpportunistic() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let url = try #require(HTTPURL(world.origin + "/a"))
        let body = try device.store.beginBody()
        try body.append(Data("first".utf8))
        let draft = EntryDraft(
            url: url, requestFields: [:], response: HTTPResponse(status: 200), requestTime: device.clock.now,
            responseTime: device.clock.now)
        try device.store.commit(draft, body: body)
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.itemsReused == 1 && report.itemsDownloaded == 0)
        #expect(world.requests(for: "/a").isEmpty)
        #expect(try device.entry("/a")?.holders == ["news@1"])
    }

    @Test("joins a sync that runs, and takes a new subscription up meanwhile")
    func joins() async throws {
        try world.publish(["news": ["/a"], "other": ["/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        device.transport.hold("/a")
        let first = Task { await prepositioner.sync() }
        await device.transport.waitForHeld("/a")
        prepositioner.subscribe(to: ["news", "other"])
        let second = Task { await prepositioner.sync() }
        var statuses = prepositioner.statuses().makeAsyncIterator()
        while let status = await statuses.next(), status.activeVersions["other"] == nil {}
        device.transport.letGo("/a")
        #expect(await first.value == second.value)
        #expect(prepositioner.status.isComplete)
        #expect(world.requests(for: "/v1/devices").count == 1)
    }

    @Test("downloads no more at a time than the policy allows, by priority and then by size")
    func concurrency() async throws {
        var policy = DownloadPolicy()
        policy.concurrentDownloadsMax = 2
        let paths = (0..<12).map { "/n\($0)" }
        for (index, path) in paths.enumerated() {
            world.put(path, String(repeating: "x", count: 100 - index), priority: index / 6)
        }
        try world.publish(["news": paths], policy: policy)
        let device = try Device(world)
        await (try device.subscribed(["news"])).sync()
        #expect(device.transport.activeMax <= 2)
        policy.concurrentDownloadsMax = 1
        let alone = try Device(world)
        try world.publish(["news": paths], policy: policy)
        world.forgetRequests()
        await (try alone.subscribed(["news"])).sync()
        let order = world.requests.map(\.path).filter { $0.hasPrefix("/n") }
        #expect(order == [5, 4, 3, 2, 1, 0, 11, 10, 9, 8, 7, 6].map { "/n\($0)" })
    }

    @Test("skips what is larger than the policy allows, says why, and does not wait for it")
    func sizeLimit() async throws {
        var policy = DownloadPolicy()
        policy.fileByteCountMax = 8
        try world.publish(["news": ["/a", "/b"]], policy: policy)
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let report = await prepositioner.sync()
        #expect(report.itemsDownloaded == 1 && report.itemsFailed == 1)
        #expect(world.requests(for: "/b").isEmpty)
        #expect(prepositioner.status.activeVersions == ["news": 1])
        #expect(prepositioner.status.items.last?.failure?.contains("policy's limit of 8") == true)
    }

    @Test("downloads nothing while the release switches the product off")
    func disabled() async throws {
        var policy = DownloadPolicy()
        policy.isEnabled = false
        try world.publish(["news": ["/a"]], policy: policy)
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        #expect(world.requests(for: "/a").isEmpty && !prepositioner.status.isEnabled)
    }

    @Test("drops a segment that the release no longer lists")
    func segmentRemoved() async throws {
        try world.publish(["news": ["/a"], "old": ["/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news", "old"])
        await prepositioner.sync()
        try world.publish(["news": ["/a"]])
        await prepositioner.sync()
        #expect(try device.body("/b") == nil)
        #expect(prepositioner.status.activeVersions == ["news": 2])
    }

    @Test("brings an item again that the store lost")
    func eviction() async throws {
        try world.publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        var statuses = prepositioner.statuses().makeAsyncIterator()
        try device.store.remove(#require(HTTPURL(world.origin + "/a")))
        while let status = await statuses.next(), status.isComplete {}
        #expect(device.outcomes.contains("news@1 /a evicted"))
        let report = await prepositioner.sync()
        #expect(report.itemsDownloaded == 1)
        #expect(try device.body("/a") == "first" && prepositioner.status.isComplete)
    }

    @Test("puts journal and store in agreement at a start")
    func reconciles() async throws {
        try world.publish(["news": ["/a", "/b"]])
        let device = try Device(world)
        await (try device.subscribed(["news"])).sync()
        try device.store.remove(#require(HTTPURL(world.origin + "/a")))
        let entry = try #require(try device.entry("/b"))
        try device.store.hold(entryID: entry.id, holder: "strange@7")
        let again = try device.prepositioner()
        #expect(again.status.items.map(\.state) == [.queued, .ready])
        #expect(try device.store.holders() == ["news@1"])
        await again.sync()
        #expect(again.status.isComplete)
    }

    @Test("forgets everything when it is unregistered, and is inert then")
    func unregister() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        await prepositioner.unregister()
        #expect(prepositioner.status.registration == .notRegistered)
        #expect(try device.store.usage().entryCount == 0)
        world.forgetRequests()
        await prepositioner.sync()
        await prepositioner.run()
        #expect(world.requests.isEmpty)
        #expect(try device.prepositioner().status.subscribedSegments == [])
    }
}
