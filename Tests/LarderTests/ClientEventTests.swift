import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Wire

@testable import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Events of the client")
struct ClientEventTests {
    /// A control plane that registers anybody and takes batches as a script of statuses says; 204 when it has run out.
    private final class Plane: Sendable {
        let server: ScriptedOrigin
        private let taken: Locked<[TelemetryBatch]>

        init(batches: [Int] = []) throws {
            let taken = Locked<[TelemetryBatch]>([])
            let answers = Locked(batches)
            self.taken = taken
            server = try ScriptedOrigin { request in
                if request.target == "/v1/devices" {
                    let answer = RegistrationResponse(
                        deviceID: "d", deviceToken: "token", appID: "a", signingKeys: [])
                    return .init(try WireCoding.encode(answer), status: 201)
                }
                guard request.target.hasPrefix("/v1/batches/") else { return .init("", status: 404) }
                let status = answers.withLock { $0.isEmpty ? 204 : $0.removeFirst() }
                if status == 204, let json = WireCoding.decompress(request.body, byteCountMax: 1 << 20) {
                    let batch = try WireCoding.decode(TelemetryBatch.self, from: json)
                    taken.withLock { $0.append(batch) }
                }
                return .init("", status: status)
            }
        }

        var items: [TelemetryItem] { taken.withLock { $0 }.flatMap(\.items) }
        var events: [AppEvent] { items.compactMap { if case .event(let event) = $0 { event } else { nil } } }
        var exchanges: [ExchangeRecord] { items.compactMap { if case .exchange(let one) = $0 { one } else { nil } } }

        /// A registered client on a directory.
        func client(on directory: String) async -> LarderClient {
            var configuration = LarderConfiguration(serverURL: server.origin, apiKey: "key")
            configuration.directory = directory
            configuration.telemetryInterval = .seconds(3_600)
            configuration.log = { _ in }
            let client = LarderClient(configuration: configuration)
            for await status in client.statuses() { if case .registered = status.registration { break } }
            return client
        }
    }

    @Test("events and the exchanges between their ends reach the server together, named and summed")
    func correlated() async throws {
        let rig = try ClientRig { request in
            if request.target == "/gone" { return .raw("") }
            return .init("hello", [.cacheControl: request.target == "/live" ? "no-store" : "max-age=60"])
        }
        let client = rig.client
        client.logEvent("tapped home button")
        _ = try await client.data(from: rig.url("/before"))
        client.startEvent("Event Name")
        _ = try await client.data(from: rig.url("/a"))
        client.startEvent("inner\n")
        _ = try await client.data(from: rig.url("/a"))
        _ = try? await client.data(from: rig.url("/gone"))
        client.stopEvent("inner")
        _ = try await client.data(from: rig.url("/live"))
        client.stopEvent("Event Name")
        _ = try await client.data(from: rig.url("/after"))
        // Exchanges end a moment after their bodies.
        while client.counters.requestCount < 6 { await Task.yield() }
        await client.shutDown()
        let plane = try Plane()
        let next = await plane.client(on: rig.directory.path("larder"))
        #expect(await next.sendTelemetry().outcome == .sent)

        let names = Dictionary(
            uniqueKeysWithValues: Dictionary(grouping: plane.exchanges) { $0.url.split(separator: "/").last ?? "" }
                .map { ($0.key, $0.value.map(\.events)) })
        #expect(names["before"] == [nil] && names["after"] == [nil])
        #expect(names["a"] == [["Event Name"], ["Event Name", "inner"]])
        #expect(names["gone"] == [["Event Name", "inner"]] && names["live"] == [["Event Name"]])

        let events = Dictionary(uniqueKeysWithValues: plane.events.map { ($0.name, $0) })
        #expect(plane.events.count == 3)
        #expect(events["tapped home button"]?.durationMicroseconds == nil)
        let inner = try #require(events["inner"]?.traffic), outer = try #require(events["Event Name"]?.traffic)
        #expect((inner.exchangeCount, inner.fromDeviceCount, inner.failedCount) == (2, 1, 1))
        #expect((outer.exchangeCount, outer.fromDeviceCount, outer.failedCount) == (4, 1, 1))
        let wire = plane.exchanges.filter { $0.events?.contains("Event Name") == true }.map(\.wireByteCount)
        #expect(outer.wireByteCount == wire.reduce(0, +) && outer.wireByteCount > 0)
        await next.shutDown()
    }

    @Test("an event goes on in the next client on the directory")
    func restart() async throws {
        let rig = try ClientRig()
        rig.client.startEvent("tour")
        await rig.client.shutDown()
        let plane = try Plane()
        let next = await plane.client(on: rig.directory.path("larder"))
        next.stopEvent("tour")
        #expect(await next.sendTelemetry().outcome == .sent)
        #expect(plane.events.map(\.name) == ["tour"])
        #expect(plane.events.allSatisfy { ($0.durationMicroseconds ?? 0) > 0 })
        await next.shutDown()
    }

    @Test("a stop without a start, and an empty name, are one line in the log each, and nothing else")
    func unmatched() async throws {
        let rig = try ClientRig()
        for _ in 0..<3 { rig.client.stopEvent("never started") }
        #expect(rig.log.count == 1 && rig.log.first?.contains("never started") == true)
        for _ in 0..<3 { rig.client.startEvent(" \n") }
        rig.client.logEvent("")
        #expect(rig.log.count == 2)
        #expect(await rig.client.sendTelemetry().itemsWaiting == 0)
        for index in 0..<1_000 { rig.client.stopEvent("name \(index)") }
        #expect(rig.log.count == 101)
    }

    @Test("sending says what was sent, what waits and why, and what was refused")
    func reports() async throws {
        let plane = try Plane(batches: [503, 400, 401])
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let client = await plane.client(on: directory.path("larder"))
        client.logEvent("one")
        let waiting = await client.sendTelemetry()
        #expect(waiting.itemsWaiting == 1 && waiting.itemsSent == 0)
        #expect("\(waiting)".hasPrefix("analytics: 0 records sent in 0 batches, 1 waiting: "))
        #expect("\(waiting)".contains("503"))
        let rejected = await client.sendTelemetry()
        #expect(rejected.outcome == .sent && rejected.itemsRejected == 1 && rejected.itemsWaiting == 0)
        client.logEvent("two")
        let refused = await client.sendTelemetry()
        #expect(refused.itemsWaiting == 1)
        guard case .refused(let reason) = refused.outcome else { throw Unexpected(report: refused) }
        #expect(reason.contains("401"))
        // The server has withdrawn the device, as far as the device knows.
        #expect(await client.sendTelemetry().outcome == .waiting("the device is not registered"))
        await client.shutDown()
    }

    @Test("what the server takes is counted")
    func sent() async throws {
        let plane = try Plane()
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let client = await plane.client(on: directory.path("larder"))
        for index in 0..<3 { client.logEvent("\(index)") }
        let report = await client.sendTelemetry()
        #expect(report == TelemetryReport(.sent, batchesSent: 1, itemsSent: 3))
        #expect("\(report)" == "analytics: 3 records sent in 1 batch")
        #expect(plane.events.map(\.name) == ["0", "1", "2"])
        #expect(await client.sendTelemetry() == TelemetryReport(.sent))
        await client.shutDown()
    }
}

private struct Unexpected: Error {
    var report: TelemetryReport
}
