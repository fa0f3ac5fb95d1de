import Foundation
import Prepositioning
import Primitives
import TestSupport
import Testing

@testable import Larder

@Suite("Debugging a client", .timeLimit(.minutes(1)))
struct ClientDebuggingTests {
    @Test("tells every exchange while it is on, in the log and in the files")
    func debugging() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        _ = try await rig.client.data(from: rig.url("/before"))
        rig.client.isDebugging = true
        #expect(rig.client.isDebugging)
        for _ in 0..<2 { _ = try await rig.client.data(from: rig.url("/during?token=SECRET")) }
        rig.client.isDebugging = false
        await rig.client.shutDown()
        let lines = rig.log.filter { $0.hasPrefix("GET ") }
        #expect(lines.count == 2)
        #expect(lines.first?.hasPrefix("GET \(rig.origin.origin)/during 200 CACHE_MISS miss ") == true)
        #expect(lines.last?.hasPrefix("GET \(rig.origin.origin)/during 200 CACHE_FETCH cacheHit ") == true)
        let path = try #require(rig.client.logFilePaths.first)
        #expect(path.hasPrefix(rig.directory.path("larder/Logs/")))
        #expect(path.hasSuffix("_com.akamai.akasdk.log"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for line in lines { #expect(text.contains("Z \(line)\n")) }
        #expect(!text.contains("SECRET"))
    }

    @Test("keeps secrets out of the log")
    func secrets() throws {
        let rig = try ClientRig(configure: { configuration in
            configuration.apiKey = "key-4711"
            configuration.serverURL = "ftp://user:pass@example.com/?key-4711"
        })
        #expect(rig.log.contains { $0.hasPrefix("no segments") })
        rig.client.services.log.write(
            "a\nb key-4711 https://u:p@example.com/?q=1 " + String(repeating: "x", count: 10_000))
        for line in rig.log {
            #expect(!line.contains("4711") && !line.contains("pass") && !line.contains("u:p") && !line.contains("q=1"))
            #expect(!line.contains("\n") && line.utf8.count < 8_200)
        }
    }

    @Test("lists the segments, then every URL with its state")
    func listing() {
        func item(
            _ url: String, _ state: Prepositioner.ItemState, _ bytesReceived: Int64 = 0, failure: String? = nil
        ) -> Prepositioner.ItemStatus {
            .init(
                segment: "news", version: 1, url: url, state: state, byteCount: 1_000, bytesReceived: bytesReceived,
                isEssential: true, failure: failure)
        }
        var status = Services.statusWithoutServer
        #expect(ContentListing(status: status, content: []).lines == ["subscribed segments: none"])
        status.subscribedSegments = ["news", "core"]
        status.items = [
            item("http://a/4", .failed, failure: "404"), item("http://a/3", .queued),
            item("http://a/2", .downloading, 12),
            item("http://a/1", .ready), item("http://a/5", .queued, failure: "timed out"),
        ]
        #expect(
            ContentListing(status: status, content: []).lines == [
                "subscribed segments: core, news", "http://a/1 cached, 1000 bytes, segment news",
                "http://a/2 downloading, 12 of 1000 bytes, segment news", "http://a/3 queued, 1000 bytes, segment news",
                "http://a/4 failed: 404, segment news",
                "http://a/5 queued, 1000 bytes, failed before: timed out, segment news",
            ])
    }

    @Test("lists what passed by, without queries")
    func opportunistic() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60"]) }
        _ = try await rig.client.data(from: rig.url("/kept?token=SECRET"))
        await rig.client.shutDown()
        #expect(
            rig.client.contentListing() == [
                "subscribed segments: none", "\(rig.origin.origin)/kept?… cached, 5 bytes, passed by",
            ])
    }
}
