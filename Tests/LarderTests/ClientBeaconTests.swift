import Foundation
import Larder
import Primitives
import TestSupport
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Beacons of the client")
struct ClientBeaconTests {
    /// A collector without a configuration, and the queries of the beacons that came.
    private final class Collector: Sendable {
        let server: ScriptedOrigin

        init() throws { server = try ScriptedOrigin { _ in .init("", status: 204) } }

        var configuration: MPulseConfiguration {
            var configuration = MPulseConfiguration(apiKey: "key")
            configuration.beaconURL = server.origin + "/beacon"
            return configuration
        }

        func beacons(_ count: Int) async throws -> [[String: String]] {
            while server.requests.count < count { await Task.yield() }
            return try server.requests.map { request in
                let components = try #require(URLComponents(string: server.origin + request.target))
                let items = components.queryItems ?? []
                return Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.value ?? "") })
            }
        }
    }

    @Test("the page group is the event started last that still runs; each end fires a timer in the group it ended in")
    func pageGroups() async throws {
        let collector = try Collector()
        let rig = try ClientRig(configure: { configuration in
            configuration.mPulse = collector.configuration
            configuration.mPulse?.customMetrics = ["any": ["http://127.0.0.1"]]
        })
        let client = rig.client
        func request(_ count: Int) async throws {
            _ = try await client.data(from: rig.url("/\(count)"))
            _ = try await collector.beacons(count)
        }
        try await request(1)
        client.startEvent("outer")
        try await request(2)
        client.startEvent("inner")
        try await request(3)
        client.stopEvent("inner")
        _ = try await collector.beacons(4)
        try await request(5)
        client.stopEvent("outer")
        _ = try await collector.beacons(6)
        client.stopEvent("never started")
        client.logEvent("a moment")
        try await request(7)
        let beacons = try await collector.beacons(7)
        #expect(
            beacons.map { $0["h.pg"] ?? "none" } == ["none", "outer", "inner", "inner", "outer", "outer", "none"])
        let timers = beacons.map { $0["t_other"]?.prefix { $0 != "|" } ?? "none" }
        #expect(timers == ["none", "none", "none", "inner", "none", "outer", "none"])
        #expect(beacons.map { $0["any"] ?? "none" } == ["1", "1", "1", "none", "1", "none", "1"])
        #expect(beacons.map { $0["rt.sl"] ?? "none" } == ["0", "1", "2", "2", "2", "2", "2"])
        #expect(Set(beacons.map { $0["rt.si"] ?? "" }).count == 1)
        await client.shutDown()
    }

    @Test("without a configuration nothing is sent; with one that is unusable there is one line in the log")
    func off() async throws {
        let rig = try ClientRig(configure: { $0.mPulse = nil })
        rig.client.startEvent("load")
        rig.client.stopEvent("load")
        _ = try await rig.client.data(from: rig.url("/a"))
        #expect(rig.log.isEmpty && rig.origin.requests.map(\.target) == ["/a"])
        let unusable = try ClientRig(configure: { $0.mPulse = MPulseConfiguration(apiKey: "") })
        #expect(unusable.log.count == 1)
    }

    @Test("an mPulse that cannot be reached, or never answers, keeps neither requests nor the shutdown waiting")
    func silent() async throws {
        let silence = DispatchSemaphore(value: 0)
        let silent = try ScriptedOrigin { _ in
            silence.wait()
            return .init("")
        }
        let port = try freePort()
        for address in [silent.origin, "http://127.0.0.1:\(port)"] {
            let rig = try ClientRig(configure: { configuration in
                configuration.mPulse = MPulseConfiguration(apiKey: "key")
                configuration.mPulse?.configURL = address + "/config.json"
                configuration.mPulse?.reportsRequests = true
            }) { _ in .init("hello") }
            for number in 0..<200 {
                rig.client.startEvent("load")
                #expect(try await rig.client.data(from: rig.url("/\(number)")).0 == Data("hello".utf8))
                rig.client.stopEvent("load")
            }
            await rig.client.shutDown()
        }
        silence.signal()
    }
}
