import AkaCommon
import AkaMap
import Foundation
import TestSupport
import Testing

@testable import Larder
@testable import MapSamples
@testable import VocCommon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Events, counters and segments under the retired names, as the server gets them.
@Suite("With a server in reach", .serialized, .exclusiveInterception, .timeLimit(.minutes(5)))
struct EventTests {
    private func guide() -> Guide2020 {
        let guide = Guide2020(heard: { _ in })
        guide.takeService()
        return guide
    }

    private func load(_ url: String) async throws {
        let address = try #require(URL(string: url))
        _ = try await AkaCommon.shared().larder?.data(from: address)
    }

    /// The items of the batches that are sent now.
    private func sentItems(_ rig: MapRig) async throws -> [TelemetryItem] {
        let client = try #require(AkaCommon.shared().larder)
        _ = await client.sendTelemetry()
        return try rig.transport.sent.filter { $0.request.url.path.contains("/batches/") }.flatMap { request in
            guard case .data(let body) = request.body else { return [TelemetryItem]() }
            let data = try #require(WireCoding.decompress(body, byteCountMax: 16 << 20))
            return try WireCoding.decode(TelemetryBatch.self, from: data).items
        }
    }

    @Test("timed events have a duration and the exchanges between their endpoints, instantaneous ones a moment")
    func events() async throws {
        try await MapRig.runWithServer { rig, _ in
            let guide = guide()
            guide.timeAnEvent()
            guide.logAnEvent()
            let service = AkaMap.shared()
            service.startEvent("outer")
            service.startEvent("inner")
            try await load("https://www.akamai.com/during")
            service.stopEvent("inner")
            service.stopEvent("outer")
            service.stopEvent("never started")
            let items = try await sentItems(rig)
            let events = items.compactMap { item -> AppEvent? in if case .event(let event) = item { event } else { nil }
            }
            #expect(events.map(\.name).sorted() == ["Event Name", "inner", "outer", "tapped home button"])
            let timed = events.filter { $0.durationMicroseconds != nil }.map(\.name).sorted()
            #expect(timed == ["Event Name", "inner", "outer"])
            let exchange = items.compactMap { item -> ExchangeRecord? in
                if case .exchange(let record) = item, record.url.hasSuffix("/during") { record } else { nil }
            }.first
            #expect(exchange?.events == ["inner", "outer"])
        }
    }

    @Test("counters tell the cache from the network, and begin anew when cleared")
    func counters() async throws {
        try await MapRig.runWithServer(configure: { $0.conditions = ManualConditions(.init(network: .init(.cellular))) }
        ) {
            rig, _ in
            let service = AkaMap.shared()
            #expect(service.filesDownloaded() == 0)
            service.subscribeSegments(["news"])
            let client = try #require(AkaCommon.shared().larder)
            for await status in client.statuses() where status.items.count == 2 && status.isComplete { break }
            #expect(service.filesDownloaded() == 2)
            #expect(service.bytesDownloaded() == "the page /news".utf8.count + "the page /shared".utf8.count)
            service.clearStats()
            #expect(service.filesDownloaded() == 0 && service.filesRequested() == [])
            let exchanges = client.exchanges()
            for _ in 1...2 { try await load("https://www.akamai.com/a?secret=1") }
            var count = 0
            for await _ in exchanges {
                count += 1
                if count == 2 { break }
            }
            #expect(service.filesLoadedFromCache() == 1)
            #expect(service.bytesLoadedFromCache() == "the page /a?secret=1".utf8.count)
            #expect(service.timeLoadingFromCache() > 0 && service.timeLoadingFromNetwork() > 0)
            #expect(service.filesNotHandled() == 0)
            #expect(service.filesRequested() == ["https://www.akamai.com/a", "https://www.akamai.com/a"])
            #expect(service.statsConnectionType() == "cellular")
            #expect(service.connectionType == .isCellular)
            service.clearStats()
            #expect(service.filesLoadedFromCache() == 0 && service.timeLoadingFromNetwork() == 0)
            withExtendedLifetime(rig) {}
        }
    }

    @Test("two segments are joined, and one of three is left: its own content goes, what another one holds stays")
    func samplesOfSegments() async throws {
        try await MapRig.runWithServer { _, _ in
            let guide = guide()
            guide.joinTwoSegments()
            #expect(guide.subscribed() == ["basics", "banner-images"])
            guide.joinAndLeave { #expect(guide.subscribed() == ["A", "B", "C"]) }
            #expect(guide.subscribed() == ["A", "C"])
            #expect(guide.isEnabled() == true)
        }
    }

    @Test("is not enabled when the server switches the SDK off")
    func switchedOff() async throws {
        try await MapRig.runWithServer { _, plane in
            #expect(AkaMap.shared().enabled())
            #expect(AkaMap.shared().state == .idle)
            try await plane.switchOff()
            let client = try #require(AkaCommon.shared().larder)
            _ = await client.sync()
            #expect(!AkaMap.shared().enabled())
            #expect(AkaMap.shared().lastPolicyStatus.contains(.noDownload))
            #expect(!AkaMap.shared().downloadAllowed)
        }
    }
}
