import Conditions
import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import TestSupport
import Testing
import Wire
import WorldSupport

/// Policies as the engine carries them out.
@Suite(.timeLimit(.minutes(2))) struct PolicyEngineTests {
    private let world = World()
    private let large = String(repeating: "0123456789abcdef", count: 16_384)
    private let chunkByteCount: Int64 = 16_384

    init() {
        world.put("/a", "first")
        world.put("/large", large)
    }

    private func publish(_ segments: [String: [String]], _ change: (inout DownloadPolicy) -> Void) throws {
        var policy = DownloadPolicy()
        change(&policy)
        try world.publish(segments, policy: policy)
    }

    /// Rules and circumstances of which one is against downloads, and what makes it all right.
    private struct Case: Sendable, CustomStringConvertible {
        var description: String
        var blockers: Set<PolicyBlocker>
        var policy: @Sendable (inout DownloadPolicy) -> Void
        var bad: DeviceConditions
        var good = DeviceConditions()
    }

    private static let cases = [
        Case(
            description: "network", blockers: [.cellularNotAllowed], policy: { $0.networks = .wifiOnly },
            bad: DeviceConditions(network: .init(.cellular))),
        Case(
            description: "metered", blockers: [.cellularNotAllowed], policy: { $0.networks = .wifiOnly },
            bad: DeviceConditions(network: .init(.wifi, isMetered: true))),
        Case(
            description: "Wi-Fi", blockers: [.wifiNotAllowed], policy: { $0.networks = .cellularOnly },
            bad: DeviceConditions(network: .init(.wifi)), good: DeviceConditions(network: .init(.cellular))),
        Case(
            description: "battery", blockers: [.wifiOnBattery], policy: { $0.wifi.isAllowedOnBattery = false },
            bad: DeviceConditions(power: .init(isExternal: false))),
        Case(
            description: "charge", blockers: [.batteryLow], policy: { $0.batteryPercentMin = 20 },
            bad: DeviceConditions(power: .init(isExternal: false, batteryPercent: 19)),
            good: DeviceConditions(power: .init(isExternal: false, batteryPercent: 20))),
        Case(
            description: "quota", blockers: [.cellularQuotaUsed], policy: { $0.cellular.dailyByteCountMax = 0 },
            bad: DeviceConditions(network: .init(.cellular))),
        Case(
            description: "hours", blockers: [.cellularHours],
            policy: { $0.cellular.hours = [DayHours(startMinute: 60, endMinute: 120)] },
            bad: DeviceConditions(network: .init(.cellular))),
        Case(
            description: "quality", blockers: [.cellularQuality], policy: { $0.cellular.qualityMin = .poor },
            bad: DeviceConditions(network: .init(.cellular))),
        Case(
            description: "several", blockers: [.cellularNotAllowed, .cellularOnBattery, .batteryLow],
            policy: { policy in
                policy.networks = .wifiOnly
                policy.batteryPercentMin = 20
                policy.cellular.isAllowedOnBattery = false
            },
            bad: DeviceConditions(
                network: .init(.cellular), power: .init(isExternal: false, batteryPercent: 3))),
    ]

    @Test(
        "downloads nothing against the rules, says why, and goes on at once when nothing is against it",
        arguments: cases)
    private func waits(one: Case) async throws {
        try publish(["news": ["/a"]], one.policy)
        let device = try Device(world)
        device.conditions.set(one.bad)
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.wait(for: prepositioner) { $0.releaseVersion == 1 && !$0.isSyncing }
        #expect(prepositioner.policyBlockers == one.blockers && prepositioner.status.blockers == one.blockers)
        #expect(prepositioner.status.lastFailure == nil)
        // The pointer is asked for, nothing else.
        #expect(world.requests.count == 2 && world.requests(for: "/v1/apps/app-1/release").count == 1)
        device.conditions.set(one.good)
        await device.wait(for: prepositioner) { $0.isComplete && !$0.items.isEmpty }
        #expect(prepositioner.policyBlockers == [])
        #expect(try device.body("/a") == "first")
        run.cancel()
        await run.value
    }

    @Test(
        "interrupts what runs when something comes against it, and goes on where it stopped", arguments: cases.prefix(5)
    )
    private func interrupts(one: Case) async throws {
        try publish(["news": ["/large"]]) { policy in
            one.policy(&policy)
            policy.bytesPerSecondMax = chunkByteCount
        }
        let device = try Device(world)
        device.conditions.set(one.good)
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        for _ in 0..<5 {
            await device.clock.waitForSleepers()
            device.clock.advance(by: .seconds(1))
        }
        await device.clock.waitForSleepers()
        device.conditions.set(one.bad)
        let report = await sync.value
        #expect(report.itemsDownloaded == 0 && report.itemsFailed == 0 && report.failures == [])
        let item = try #require(prepositioner.status.items.first)
        #expect(item.state == .queued && item.failure == nil)
        #expect(try device.partialNames.count == 1)
        #expect(await prepositioner.sync().failures == [])
        #expect(world.requests(for: "/large").count == 1)
        device.conditions.set(one.good)
        let next = Task { await prepositioner.sync() }
        for _ in 6..<16 {
            await device.clock.waitForSleepers()
            device.clock.advance(by: .seconds(2))
        }
        #expect(await next.value.itemsDownloaded == 1)
        #expect(world.requests(for: "/large").last?.head.fields[.range] == "bytes=\(6 * chunkByteCount)-")
        #expect(try device.body("/large") == large)
    }

    @Test("downloads in the hours of the release, and stops at their end")
    func hours() async throws {
        try publish(["news": ["/a"]]) { $0.wifi.hours = [DayHours(startMinute: 60, endMinute: 61)] }
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.wait(for: prepositioner) { $0.releaseVersion == 1 && !$0.isSyncing }
        // It is midnight. The next look at the release, and the next at the clock, are a quarter of an hour away.
        for _ in 0..<4 {
            #expect(prepositioner.policyBlockers == [.wifiHours])
            await device.clock.waitForSleepers(2)
            device.clock.advance(by: .seconds(900))
        }
        await device.wait(for: prepositioner) { $0.isComplete && !$0.items.isEmpty }
        #expect(try device.body("/a") == "first")
        device.clock.advance(by: .seconds(60))
        #expect(prepositioner.policyBlockers == [.wifiHours])
        run.cancel()
        await run.value
    }

    @Test("goes by the hours of where the device is")
    func timeZone() async throws {
        try publish(["news": ["/a"]]) { $0.wifi.hours = [DayHours(startMinute: 60, endMinute: 61)] }
        let device = try Device(world)
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let prepositioner = try device.prepositioner { $0.timeZone = { berlin } }
        prepositioner.subscribe(to: ["news"])
        #expect(await prepositioner.sync().itemsDownloaded == 1)
    }

    @Test("stops at the chunk that uses the day's quota up, also after a restart, and goes on after midnight")
    func quota() async throws {
        let quota: Int64 = 100_000
        try publish(["news": ["/large"]]) { $0.wifi.dailyByteCountMax = quota }
        let device = try Device(world)
        var prepositioner = try device.subscribed(["news"])
        var offsets: [Int64] = []
        for day in 0..<3 {
            let report = await prepositioner.sync()
            #expect(report.failures == [] && report.itemsFailed == 0)
            let usage = prepositioner.dataUsage
            #expect(usage.cellularByteCount == 0)
            guard day < 2 else { break }
            #expect(report.itemsDownloaded == 0 && prepositioner.policyBlockers == [.wifiQuotaUsed])
            #expect(quota..<quota + chunkByteCount ~= usage.wifiByteCount)
            prepositioner = try device.prepositioner()
            #expect(prepositioner.dataUsage == usage)
            let count = world.requests(for: "/large").count
            #expect(await prepositioner.sync().itemsDownloaded == 0)
            #expect(world.requests(for: "/large").count == count)
            device.clock.advance(by: .seconds(86_399))
            #expect(prepositioner.policyBlockers == [.wifiQuotaUsed])
            device.clock.advance(by: .seconds(1))
            #expect(prepositioner.policyBlockers == [] && prepositioner.dataUsage == DataUsage())
        }
        #expect(try device.body("/large") == large)
        let ranges = world.requests(for: "/large").map { $0.head.fields[.range] }
        #expect(ranges.count == 3 && ranges[0] == nil && ranges[1] != nil && ranges[2] != nil)
        offsets = ranges.compactMap { $0.flatMap { Int64($0.dropFirst("bytes=".count).dropLast()) } }
        #expect(offsets == offsets.sorted() && Set(offsets).count == 2)
    }

    @Test("wakes at midnight to go on with what the quota stopped")
    func midnight() async throws {
        try publish(["news": ["/large"]]) { $0.wifi.dailyByteCountMax = 200_000 }
        let device = try Device(world)
        device.clock.advance(by: .seconds(86_400 - 600))
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.wait(for: prepositioner) { $0.blockers == [.wifiQuotaUsed] && !$0.isSyncing }
        await device.clock.waitForSleepers(2)
        device.clock.advance(by: .seconds(600))
        await device.wait(for: prepositioner) { $0.isComplete && !$0.items.isEmpty }
        #expect(try device.body("/large") == large)
        run.cancel()
        await run.value
    }

    @Test("counts every byte of items, manifests and releases by network, of broken and redirected transfers too")
    func usage() async throws {
        world.put("/moved", large)
        world.put("/z", String(repeating: "z", count: 50_000), encoding: "br")
        world.answer(
            "/large", with: .init(status: 302, fields: [.location: "/moved"], body: Data("moved".utf8)),
            .init(fields: [.eTag: world["/large"]?.eTag ?? ""], body: Data(large.utf8), brokenAfter: 100_000))
        try world.publish(["news": ["/large", "/a", "/z"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        world.silentPaths = ["/moved"]
        let first = Task { await prepositioner.sync() }
        for second in [1, 2] {
            await device.clock.waitForSleepers()
            device.clock.advance(by: .seconds(second))
        }
        #expect(await first.value.itemsDownloaded == 3)
        #expect(prepositioner.dataUsage.wifiByteCount == device.transport.deliveredByteCount)
        #expect(prepositioner.dataUsage.wifiByteCount > Int64(large.utf8.count) + 50_000)
        let before = device.transport.deliveredByteCount
        device.conditions.set(DeviceConditions(network: .init(.cellular)))
        world.put("/a", "second")
        try world.publish(["news": ["/large", "/a", "/z"]])
        #expect(await prepositioner.sync().itemsDownloaded == 1)
        #expect(prepositioner.dataUsage.wifiByteCount == before)
        #expect(prepositioner.dataUsage.cellularByteCount == device.transport.deliveredByteCount - before)
    }

    @Test("lets the app override the release at run time: size, force, networks")
    func overrides() async throws {
        try publish(["news": ["/a", "/large"]]) { policy in
            policy.fileByteCountMax = 10
            policy.networks = .none
        }
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.wait(for: prepositioner) { $0.releaseVersion == 1 && !$0.isSyncing }
        #expect(prepositioner.policyBlockers == [.switchedOff])
        var overrides = PolicyOverrides()
        overrides.networks = .wifiOnly
        prepositioner.setOverrides(overrides)
        await device.wait(for: prepositioner) { $0.activeVersions == ["news": 1] && !$0.isSyncing }
        #expect(prepositioner.status.items.map(\.state) == [.ready, .failed])
        overrides.fileByteCountMax = .max
        prepositioner.setOverrides(overrides)
        #expect(prepositioner.status.items.map(\.state) == [.ready, .queued])
        await prepositioner.sync()
        #expect(try device.body("/large") == large)
        device.conditions.set(DeviceConditions(network: .init(.cellular)))
        #expect(prepositioner.policyBlockers == [.cellularNotAllowed])
        overrides.isForced = true
        prepositioner.setOverrides(overrides)
        #expect(prepositioner.policyBlockers == [])
        run.cancel()
        await run.value
    }

    @Test("downloads by itself nothing that the app wants to ask for, and everything when it asks")
    func manual() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        var overrides = PolicyOverrides()
        overrides.isManual = true
        let chosen = overrides
        let prepositioner = try device.prepositioner { $0.overrides = chosen }
        prepositioner.subscribe(to: ["news"])
        let run = Task { await prepositioner.run() }
        await device.wait(for: prepositioner) { !$0.items.isEmpty && !$0.isSyncing }
        await prepositioner.lookForContent()
        #expect(
            await prepositioner.sync(within: .seconds(5)) == .init(itemsDownloaded: 0, isFinished: true, failures: []))
        #expect(prepositioner.policyBlockers == [.switchedOff])
        // What there is to download is known.
        #expect(device.changes == ["discovered /a"] && world.requests(for: "/a").isEmpty)
        await prepositioner.sync()
        #expect(try device.body("/a") == "first")
        run.cancel()
        await run.value
    }

    @Test("takes up the app's wish while a sync of its own runs")
    func manualJoins() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        var overrides = PolicyOverrides()
        overrides.isManual = true
        let chosen = overrides
        let prepositioner = try device.prepositioner { $0.overrides = chosen }
        prepositioner.subscribe(to: ["news"])
        device.transport.hold("/v1/apps/app-1/release")
        let own = Task { await prepositioner.lookForContent() }
        await device.transport.waitForHeld("/v1/apps/app-1/release")
        let asked = Task { await prepositioner.sync() }
        // The wish is known once the status says so.
        await device.wait(for: prepositioner) { $0.blockers.isEmpty }
        device.transport.letGo("/v1/apps/app-1/release")
        #expect(await asked.value.itemsDownloaded == 1)
        await own.value
    }

    @Test("lets one segment have what another one must wait for")
    func segments() async throws {
        try publish(["news": ["/a"], "films": ["/large"]]) { policy in
            policy.networks = .wifiOnly
            policy.segments["news"] = SegmentPolicy()
            policy.segments["news"]?.isForced = true
        }
        let device = try Device(world)
        device.conditions.set(DeviceConditions(network: .init(.cellular)))
        let prepositioner = try device.subscribed(["news", "films"])
        #expect(await prepositioner.sync().itemsDownloaded == 1)
        #expect(try device.body("/a") == "first" && device.body("/large") == nil)
        #expect(prepositioner.policyBlockers(ofSegment: "news") == [])
        #expect(prepositioner.policyBlockers(ofSegment: "films") == [.cellularNotAllowed])
    }

    @Test("waits for the quality that the release asks for")
    func quality() async throws {
        try publish(["news": ["/a"]]) { $0.wifi.qualityMin = .good }
        let device = try Device(world)
        let quality = QualityBox()
        let prepositioner = try device.prepositioner { $0.quality = { quality.value } }
        prepositioner.subscribe(to: ["news"])
        let run = Task { await prepositioner.run() }
        await device.wait(for: prepositioner) { $0.releaseVersion == 1 && !$0.isSyncing }
        quality.value = .poor
        prepositioner.noteQualityChange()
        #expect(prepositioner.policyBlockers == [.wifiQuality])
        quality.value = .excellent
        prepositioner.noteQualityChange()
        await device.wait(for: prepositioner) { $0.isComplete && !$0.items.isEmpty }
        run.cancel()
        await run.value
    }

    @Test("asks nobody without a network, and registers as soon as there is one")
    func offline() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        device.conditions.set(DeviceConditions(network: .init(.none)))
        let prepositioner = try device.subscribed(["news"])
        let run = Task { await prepositioner.run() }
        await device.clock.waitForSleepers()
        #expect(prepositioner.policyBlockers == [.notRegistered, .offline])
        #expect(world.requests.isEmpty)
        device.conditions.set(DeviceConditions(network: .init(.wifi)))
        await device.wait(for: prepositioner) { $0.isComplete && !$0.items.isEmpty }
        run.cancel()
        await run.value
    }

    @Test("says that the server cannot be reached, until it can, or the network is another one")
    func unreachableServer() async throws {
        try world.publish(["news": ["/a"]])
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        await prepositioner.sync()
        for network in [DeviceConditions.Network(.wired), .init(.wifi)] {
            world.isOffline = true
            #expect(await prepositioner.sync().failures.count == 1)
            #expect(prepositioner.policyBlockers == [.wifiUnreachable])
            world.isOffline = false
            device.conditions.set(DeviceConditions(network: network))
            if network.kind == .wired { await prepositioner.sync() }
            await device.wait(for: prepositioner) { $0.blockers.isEmpty }
        }
    }

    @Test("gives up a sync whose origins cannot be reached, rather than try every item")
    func unreachableOrigins() async throws {
        let paths = (0..<20).map { "/silent\($0)" }
        for path in paths { world.put(path, path) }
        try publish(["news": paths]) { $0.concurrentDownloadsMax = 2 }
        world.silentPaths = Set(paths)
        let device = try Device(world)
        let prepositioner = try device.subscribed(["news"])
        let sync = Task { await prepositioner.sync() }
        // Four waits lie between five tries.
        for seconds in [1, 2, 4, 8] {
            await device.clock.waitForSleepers()
            device.clock.advance(by: .seconds(seconds))
        }
        let report = await sync.value
        #expect(prepositioner.policyBlockers == [.wifiUnreachable])
        // Two at once found out for all of them.
        #expect(1...2 ~= report.itemsFailed)
        #expect(Set(world.requests.map(\.path)).intersection(paths).count == 2)
        world.silentPaths = []
        #expect(await prepositioner.sync().itemsDownloaded == 20)
        #expect(prepositioner.policyBlockers == [])
    }
}

private final class QualityBox: Sendable {
    private let quality = Locked<QualityClass?>(nil)
    var value: QualityClass? {
        get { quality.withLock { $0 } }
        set { quality.withLock { $0 = newValue } }
    }
}
