import Foundation
import Larder
import NetworkQuality
import TestSupport
import Testing
import Wire

@testable import Larder

@Suite("A client and the network's quality", .timeLimit(.minutes(1)))
struct ClientQualityTests {
    @Test("requests of the app are measured, answers from the store are not; the estimate outlives the client")
    func measures() async throws {
        let conditions = ManualConditions(DeviceConditions(network: .init(.wifi, id: "home")))
        let rig = try ClientRig(configure: { $0.conditions = conditions }) { _ in
            .init(Data(count: 300_000), [.cacheControl: "max-age=60"])
        }
        #expect(rig.client.quality.status == .notReady)
        var qualities = rig.client.qualities().makeAsyncIterator()
        #expect(await qualities.next()?.status == .notReady)
        for index in 0..<12 { _ = try await rig.client.data(from: rig.url("/\(index)")) }
        let estimate = rig.client.quality
        #expect(estimate.status == .excellent)
        #expect(try #require(estimate.roundTrip) < .seconds(1))
        // The loopback may be faster than a clock can tell.
        #expect(estimate.bytesPerSecond ?? .infinity > 250_000)
        var last = await qualities.next()
        while let status = last?.status, status != .excellent { last = await qualities.next() }
        #expect(last?.status == .excellent)

        for _ in 0..<50 { _ = try await rig.client.data(from: rig.url("/0")) }
        #expect(rig.origin.requests.count == 12)
        #expect(rig.client.quality.roundTrip == estimate.roundTrip)

        await rig.client.shutDown()
        while last != nil { last = await qualities.next() }
        var configuration = LarderConfiguration()
        configuration.directory = rig.directory.path("larder")
        configuration.conditions = conditions
        let next = LarderClient(configuration: configuration)
        #expect(next.quality.status == .excellent)
        #expect(next.quality.roundTrip == rig.client.quality.roundTrip)
        await next.shutDown()
    }

    @Test("a release's thresholds decide the class, and pre-positioning goes by it")
    func thresholds() async throws {
        let conditions = ManualConditions(DeviceConditions(network: .init(.wifi, id: "home")))
        let rig = try ClientRig(configure: { $0.conditions = conditions }) { _ in .init(Data(count: 300_000)) }
        for index in 0..<12 { _ = try await rig.client.data(from: rig.url("/\(index)")) }
        #expect(rig.client.quality.status == .excellent)
        var quality = QualityThresholds()
        quality.wifi.good.roundTripMillisecondsMax = 0
        quality.wifi.excellent.roundTripMillisecondsMax = 0
        rig.client.services.release.set(
            Release(app: "a", version: 1, publishedAt: Date(), segments: [], policy: DownloadPolicy(), quality: quality)
        )
        #expect(rig.client.quality.status == .poor)
        for await estimate in rig.client.qualities() where estimate.status == .poor { break }
        for _ in 0..<1_000_000 where rig.client.services.qualityClass.withLock({ $0 }) != .poor { await Task.yield() }
        #expect(rig.client.services.qualityClass.withLock { $0 } == .poor)
        await rig.client.shutDown()
    }
}
