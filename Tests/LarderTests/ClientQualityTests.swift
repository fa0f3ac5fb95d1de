import Foundation
import Larder
import NetworkQuality
import TestSupport
import Testing
import Wire

@testable import Larder

/// An origin that sends 200,000 bytes at about 4 MB/s.
private func pacedOrigin() throws -> RawServer {
    let chunkPause: UInt32 = 4_000
    return try RawServer { connection in
        while try connection.readHead() != nil {
            try connection.write("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 200000\r\n\r\n")
            for _ in 0..<10 {
                try connection.write(Data(count: 20_000))
                usleep(chunkPause)
            }
        }
    }
}

@Suite("A client and the network's quality", .timeLimit(.minutes(1)))
struct ClientQualityTests {
    @Test("requests of the app are measured, answers from the store are not; the estimate outlives the client")
    func measures() async throws {
        let conditions = ManualConditions(DeviceConditions(network: .init(.wifi, id: "home")))
        let origin = try pacedOrigin()
        let rig = try ClientRig(configure: { $0.conditions = conditions })
        let url = { (path: String) in try #require(URL(string: origin.origin + path)) }
        #expect(rig.client.quality.status == .notReady)
        var qualities = rig.client.qualities().makeAsyncIterator()
        #expect(await qualities.next()?.status == .notReady)
        for index in 0..<12 { _ = try await rig.client.data(from: url("/\(index)")) }
        let estimate = rig.client.quality
        #expect(estimate.status == .excellent)
        #expect(try #require(estimate.roundTrip) < .seconds(1))
        let bytesPerSecond = try #require(estimate.bytesPerSecond)
        #expect(bytesPerSecond > 250_000 && bytesPerSecond < 8_000_000)
        var last = await qualities.next()
        while let status = last?.status, status != .excellent { last = await qualities.next() }
        #expect(last?.status == .excellent)

        for _ in 0..<50 { _ = try await rig.client.data(from: url("/0")) }
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
        let origin = try pacedOrigin()
        let rig = try ClientRig(configure: { $0.conditions = conditions })
        let url = { (path: String) in try #require(URL(string: origin.origin + path)) }
        for index in 0..<12 { _ = try await rig.client.data(from: url("/\(index)")) }
        #expect(rig.client.quality.status == .excellent)
        var quality = QualityThresholds()
        quality.wifi.good.kilobitsPerSecondMin = .max / 4
        quality.wifi.excellent.kilobitsPerSecondMin = .max / 4
        rig.client.services.release.set(
            Release(app: "a", version: 1, publishedAt: Date(), segments: [], policy: DownloadPolicy(), quality: quality)
        )
        #expect(rig.client.quality.status == .poor)
        for await estimate in rig.client.qualities() where estimate.status == .poor { break }
        while rig.client.services.qualityClass.withLock({ $0 }) != .poor { await Task.yield() }
        await rig.client.shutDown()
    }
}
