import ControlModel
import ControlPlane
import Foundation
import SQLiteDatabase
import TestSupport
import Testing
import Wire

@Suite("Events, timelines and pin failures")
struct EventTests {
    private static let hosts = ["one.example.com", "two.example.com"]

    private func traffic(_ count: Int, fromDevice: Int = 0, failed: Int = 0, bytes: Int64 = 0) -> EventTraffic {
        var traffic = EventTraffic()
        traffic.exchangeCount = count
        traffic.fromDeviceCount = fromDevice
        traffic.failedCount = failed
        traffic.wireByteCount = bytes
        return traffic
    }

    private func exchange(_ path: String, at date: Date, events: [String]? = nil) -> TelemetryItem {
        .exchange(
            ExchangeRecord(
                date: date, method: "GET", url: "https://example.com/\(path)", status: 200, outcome: .miss,
                cacheStatus: "Larder; fwd=uri-miss", firstByteMicroseconds: 1, totalMicroseconds: 2, bodyByteCount: 3,
                wireByteCount: 4, httpVersion: "h2", segments: ["news", "core"], errorCode: "timeout", events: events))
    }

    private func store(_ items: [TelemetryItem], id: String = "b", from device: Device, _ server: TestServer)
        async throws
    {
        try await server.plane.store(
            TelemetryBatch(
                id: id, deviceID: device.id, createdAt: server.timekeeper.now, items: items, losses: [:]), from: device)
    }

    @Test("events are summed up by name, the most frequent first, with their durations and exchanges")
    func sums() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let device = try await server.makeDevice(app).device
        let now = server.timekeeper.now
        var items = (1...10).map { index in
            TelemetryItem.event(
                AppEvent(
                    name: "checkout", date: now - Double(index), durationMicroseconds: Int64(index) * 100_000,
                    traffic: traffic(4, fromDevice: 3, failed: 1, bytes: 1_000)))
        }
        items += [.event(AppEvent(name: "checkout", date: now)), .event(AppEvent(name: "tap", date: now - 60))]
        items.append(.event(AppEvent(name: "old", date: now - 7_200)))
        try await store(items, from: device, server)
        let events = try await server.plane.eventStatistics(appID: app.id, from: now - 3_600, to: now + 1)
        #expect(events.map(\.name) == ["checkout", "tap"])
        let checkout = try #require(events.first)
        #expect(checkout.count == 11 && checkout.timedCount == 10)
        #expect(checkout.medianMilliseconds == 550 && checkout.percentile90Milliseconds == 900)
        #expect(checkout.exchangeCount == 40 && checkout.fromDeviceCount == 30 && checkout.failedCount == 10)
        #expect(checkout.wireByteCount == 10_000 && checkout.lastAt == now)
        #expect(events.last?.medianMilliseconds == nil && events.last?.percentile90Milliseconds == nil)
        await expectProblem(422, "invalid-span") {
            try await server.plane.eventStatistics(appID: app.id, from: now, to: now)
        }
    }

    @Test("numbers that a broken device makes up spoil no sum")
    func implausible() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let device = try await server.makeDevice(app).device
        let now = server.timekeeper.now
        var absurd = traffic(.max, fromDevice: .min, failed: -1, bytes: .max)
        absurd.totalMicroseconds = .min
        let event = AppEvent(
            name: String(repeating: "n", count: 9_999), date: now, durationMicroseconds: .min, traffic: absurd)
        try await store([.event(event), .event(event)], from: device, server)
        let sum = try #require(
            await server.plane.eventStatistics(appID: app.id, from: now - 60, to: now + 1).first)
        #expect(sum.name.count == 2_048 && sum.medianMilliseconds == 0)
        #expect(sum.exchangeCount == 1 << 43 && sum.fromDeviceCount == 0 && sum.failedCount == 0)
        #expect(try await server.plane.timeline(appID: app.id, deviceID: device.id).count == 2)
    }

    @Test("a device's timeline has its latest events and the exchanges since the first of them, the newest first")
    func timeline() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let device = try await server.makeDevice(app).device
        let other = try await server.makeDevice(app).device
        let now = server.timekeeper.now
        try await store([exchange("before", at: now - 100)], from: device, server)
        #expect(try await server.plane.timeline(appID: app.id, deviceID: device.id).count == 1)
        let event = AppEvent(name: "start", date: now - 50, durationMicroseconds: 9, traffic: traffic(1, bytes: 7))
        let inside = exchange("inside", at: now - 40, events: ["start", "view"])
        try await store([inside, .event(event)], id: "b2", from: device, server)
        try await store([exchange("foreign", at: now - 30)], from: other, server)
        let entries = try await server.plane.timeline(appID: app.id, deviceID: device.id)
        guard case .exchange(let record) = inside else { return }
        #expect(entries == [.exchange(record), .event(event)])
        await expectProblem(404, "unknown-device") {
            try await server.plane.timeline(appID: app.id, deviceID: "dev_none")
        }
        let elsewhere = try await server.plane.createApp(name: "Other", bundleID: "com.example.other")
        await expectProblem(404, "unknown-device") {
            try await server.plane.timeline(appID: elsewhere.id, deviceID: device.id)
        }
    }

    @Test("pin failures are told by host and chain, the newest first, and no longer count as losses")
    func pinFailures() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let device = try await server.makeDevice(app).device, other = try await server.makeDevice(app).device
        let now = server.timekeeper.now
        func failure(_ host: Int, _ digests: [String], at date: Date) -> TelemetryItem {
            .pinFailure(PinFailure(host: Self.hosts[host], shownDigests: digests, date: date))
        }
        try await store(
            [failure(0, ["leaf", "root"], at: now - 20), failure(0, ["leaf", "root"], at: now - 10)], from: device,
            server)
        try await store(
            [failure(0, ["leaf", "root"], at: now - 30), failure(1, ["x"], at: now)], from: other, server)
        let sums = try await server.plane.pinFailures(appID: app.id, from: now - 60, to: now + 1)
        #expect(
            sums == [
                PinFailureSum(host: Self.hosts[1], shownDigests: ["x"], count: 1, deviceCount: 1, lastAt: now),
                PinFailureSum(
                    host: Self.hosts[0], shownDigests: ["leaf", "root"], count: 3, deviceCount: 2, lastAt: now - 10),
            ])
        let statistics = try await server.plane.statistics(
            appID: app.id, from: now - 60, to: now + 1, sliceCount: 1)
        #expect(statistics.losses.isEmpty)
        try await server.repository.removeTelemetry(before: now + 1)
        #expect(try await server.plane.pinFailures(appID: app.id, from: now - 60, to: now + 1).isEmpty)
    }

    @Test("what a device told stays when it is forgotten, and says no more whose it was")
    func anonymous() async throws {
        let server = try await TestServer()
        let app = try await server.makeApp()
        let (device, response, _) = try await server.makeDevice(app)
        let now = server.timekeeper.now
        let progress = SegmentProgress(
            segment: "news", version: 1, itemsReady: 1, itemsFailed: 0, itemsTotal: 1, isActive: true, date: now)
        for id in ["a", "b"] {
            try await store(
                [.event(AppEvent(name: "tap", date: now)), .progress(progress)], id: id, from: device, server)
        }
        try await server.plane.forgetDevice(id: device.id, token: response.deviceToken)
        let events = try await server.plane.eventStatistics(appID: app.id, from: now - 60, to: now + 60)
        #expect(events.map(\.count) == [2])
        #expect(try await server.plane.progress(appID: app.id).isEmpty)
        #expect(try await server.plane.deviceCount(appID: app.id) == 0)
        let database = try SQLiteDatabase(path: server.directory.path("server.sqlite"))
        let names = try database.withWriter { connection in
            try connection.query("SELECT device_id FROM batches ORDER BY number") { $0.string(0) }
        }
        #expect(names.count == 2 && Set(names).count == 2 && !names.contains(device.id))
    }
}
