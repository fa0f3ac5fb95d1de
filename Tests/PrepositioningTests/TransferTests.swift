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

@Suite struct TransferTests {
    private let world = World()
    private let large = String(repeating: "0123456789abcdef", count: 16_384)

    private func published(_ policy: DownloadPolicy = DownloadPolicy()) throws -> Device {
        world.put("/large", large)
        try world.publish(["news": ["/large"]], policy: policy)
        return try Device(world)
    }

    /// The fields the origin sends with the whole body.
    private var fields: HTTPFields { [.eTag: world["/large"]!.eTag!, .contentType: "text/plain"] }

    @Test("goes on where a broken connection ended")
    func resumes() async throws {
        let device = try published()
        world.answer("/large", with: .init(fields: fields, body: Data(large.utf8), brokenAfter: 100_000))
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        #expect(try device.partialNames.count == 1)
        device.clock.advance(by: .seconds(1))
        let report = await sync.value
        #expect(report.itemsDownloaded == 1 && report.failures == [])
        let second = try #require(world.requests(for: "/large").last?.head)
        #expect(second.fields[.range] == "bytes=100000-")
        #expect(second.fields[.ifRange] == world["/large"]?.eTag)
        #expect(try device.body("/large") == large)
        #expect(try device.partialNames == [])
        // The lean 206 had neither; they are those of the first answer.
        #expect(try device.entry("/large")?.response.fields[.contentType] == "text/plain")
        #expect(try device.entry("/large")?.response.fields[.contentLength] == "\(large.utf8.count)")
    }

    @Test(
        "goes on after a restart of the process, also when only the last check was missing",
        arguments: [70_000, 262_144])
    func resumesAfterRestart(byteCount: Int) async throws {
        let device = try published()
        world.answer("/large", with: .init(fields: fields, body: Data(large.utf8), brokenAfter: byteCount))
        do {
            let first = try device.subscribed(["news"])
            let sync = Task { await first.sync() }
            await device.clock.waitForSleepers()
            sync.cancel()
            _ = await sync.value
        }
        #expect(try device.partialNames.count == 1)
        let second = try device.prepositioner()
        let report = await second.sync()
        #expect(report.itemsDownloaded == 1)
        let offset = min(byteCount, large.utf8.count - 1)
        #expect(world.requests(for: "/large").last?.head.fields[.range] == "bytes=\(offset)-")
        #expect(try device.body("/large") == large)
    }

    @Test("starts again when the origin's body is another one by now")
    func changedMeanwhile() async throws {
        let device = try published()
        world.answer("/large", with: .init(fields: [.eTag: "\"older\""], body: Data(large.utf8), brokenAfter: 100_000))
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(1))
        _ = await sync.value
        #expect(world.requests(for: "/large").last?.head.fields[.ifRange] == "\"older\"")
        #expect(try device.body("/large") == large)
    }

    @Test("does not go on without a strong validator")
    func weakValidator() async throws {
        let device = try published()
        world.answer("/large", with: .init(fields: [.eTag: "W/\"weak\""], body: Data(large.utf8), brokenAfter: 100_000))
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(1))
        _ = await sync.value
        #expect(world.requests(for: "/large").last?.head.fields.contains(.range) == false)
        #expect(try device.body("/large") == large)
    }

    @Test(
        "starts again when the answer to a range does not fit",
        arguments: ["bytes 5-9/10", "bytes */10", "rubbish", nil])
    func oddRange(value: String?) async throws {
        let device = try published()
        var odd: HTTPFields = [:]
        odd[.contentRange] = value
        world.answer(
            "/large", with: .init(fields: fields, body: Data(large.utf8), brokenAfter: 100_000),
            .init(status: 206, fields: odd, body: Data(large.utf8)))
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(1))
        let report = await sync.value
        #expect(report.itemsDownloaded == 1)
        #expect(world.requests(for: "/large").count == 3)
        #expect(try device.body("/large") == large)
    }

    @Test("waits as long as Retry-After says, and longer after each failure")
    func retries() async throws {
        let device = try published()
        world.answer(
            "/large", with: .init(status: 503, fields: [.retryAfter: "30"]), .init(status: 500), .init(status: 429))
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        for (pause, count) in [(30, 2), (2, 3), (4, 4)] {
            await device.clock.waitForSleepers()
            device.clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(world.requests(for: "/large").count == count - 1)
            device.clock.advance(by: .milliseconds(1))
        }
        let report = await sync.value
        #expect(report.itemsDownloaded == 1 && report.failures == [])
    }

    @Test("leaves it at that for this sync when the server asks for too much patience")
    func longRetryAfter() async throws {
        let device = try published()
        world.answer("/large", with: .init(status: 503, fields: [.retryAfter: "7200"]))
        let prepositioner = try device.subscribed(["news"])
        let report = await prepositioner.sync()
        #expect(report.itemsFailed == 1 && report.failures.first?.contains("503") == true)
        #expect(await prepositioner.sync().itemsDownloaded == 1)
    }

    @Test("does not try again what will not change", arguments: [400, 403, 404, 410])
    func permanent(status: Int) async throws {
        let device = try published()
        world.answer("/large", with: .init(status: status))
        let prepositioner = try device.subscribed(["news"])
        let report = await prepositioner.sync()
        #expect(report.itemsFailed == 1 && world.requests(for: "/large").count == 1)
        #expect(prepositioner.status.items.first?.failure == "the origin answered with status \(status)")
        #expect(prepositioner.status.activeVersions == [:])
        #expect(await prepositioner.sync().itemsDownloaded == 1)
    }

    @Test("follows redirects, though not to cleartext")
    func redirects() async throws {
        let device = try published()
        world.put("/moved", large)
        world.answer("/large", with: .init(status: 302, fields: [.location: "/moved"]))
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.itemsDownloaded == 1)
        #expect(try device.body("/large") == large)
        #expect(world.requests(for: "/moved").count == 1)
        // An evaluator of trust sees which item it is about.
        let sent = device.transport.sent.filter { $0.request.url.path == "/moved" }
        #expect(sent.map(\.originalRequest?.url.path) == ["/large"])
    }

    @Test("gives up a redirect without end")
    func redirectLoop() async throws {
        let device = try published()
        let reply = World.Reply(status: 302, fields: [.location: "/large"])
        for _ in 0..<20 { world.answer("/large", with: reply) }
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.failures.first?.contains("redirects") == true)
        #expect(world.requests(for: "/large").count == 11)
    }

    @Test("yields to the app: nothing is asked for while its requests are in flight, for a while")
    func yields() async throws {
        let device = try published()
        device.activity.begin()
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        #expect(world.requests(for: "/large").isEmpty)
        device.activity.end()
        #expect(await sync.value.itemsDownloaded == 1)
    }

    @Test("does not yield for ever")
    func yieldsForABoundedTime() async throws {
        world.put("/small", "small")
        try world.publish(["news": ["/small"]])
        let device = try Device(world)
        device.activity.begin()
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(10))
        await device.clock.waitForSleepers()
        device.clock.advance(by: .seconds(10))
        #expect(await sync.value.itemsDownloaded == 1)
    }

    @Test("keeps to the rate of the policy")
    func rate() async throws {
        var policy = DownloadPolicy()
        policy.bytesPerSecondMax = 16_384
        let device = try published(policy)
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        // 262,144 bytes in chunks of 16,384: a second each.
        for second in 1...16 {
            await device.clock.waitForSleepers()
            #expect(prepositioner.status.items.first?.bytesReceived == Int64(second * 16_384))
            device.clock.advance(by: .seconds(1))
        }
        #expect(await sync.value.itemsDownloaded == 1)
    }

    @Test("stops a transfer that nobody wants any more")
    func unwanted() async throws {
        var policy = DownloadPolicy()
        policy.bytesPerSecondMax = 16_384
        let device = try published(policy)
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        await device.clock.waitForSleepers()
        prepositioner.subscribe(to: [])
        device.clock.advance(by: .seconds(1))
        let report = await sync.value
        #expect(report.itemsDownloaded == 0)
        #expect(prepositioner.status.items.isEmpty)
        #expect(try device.store.usage().entryCount == 0)
    }

    @Test("says that an item does not fit the device's budget")
    func overBudget() async throws {
        let device = try published()
        try device.store.setBudgets(pinnedByteCountMax: 1_000, opportunisticByteCountMax: 1_000)
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.itemsFailed == 1 && report.failures.first?.contains("budget") == true)
    }

    @Test("refuses an item whose URL is none")
    func badURL() async throws {
        world.put("/a", "a")
        try world.publish(["news": ["/a"]]) { $0.items[0].url = "file:///etc/passwd" }
        let device = try Device(world)
        let report = await (try device.subscribed(["news"])).sync()
        #expect(report.itemsFailed == 1 && report.failures.first?.contains("not an absolute") == true)
    }
}
