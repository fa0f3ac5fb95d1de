import ControlModel
import ControlPlane
import Cryptography
import Foundation
import Primitives
import SQLiteRepository
import TestSupport
import Testing
import Transport
import Wire

@Suite("Ingest from a real web server", .enabled(if: CaddyServer.isAvailable, "Caddy is not installed"))
struct RealOriginTests {
    @Test("a sitemap over TLS is ingested with codings, validators, redirects and a large body")
    func sitemap() async throws {
        let caddy = try CaddyServer(
            site: """
                encode gzip zstd
                redir /old /page.html 301
                header /page.html Cache-Control "max-age=600"
                header /private.txt Cache-Control "no-store"
                file_server
                """)
        defer { caddy.stop() }
        let page = Data(String(repeating: "<p>Larder</p>\n", count: 1_000).utf8)
        let large = Data((0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let names = ["page.html", "large.bin", "private.txt", "old", "missing"]
        let entries = names.map { "<url><loc>\(caddy.secureOrigin)/\($0)</loc></url>" }.joined()
        let inner = try gzipped(Data("<urlset>\(entries)</urlset>".utf8))
        let index = "<sitemapindex><sitemap><loc>\(caddy.secureOrigin)/inner.xml.gz</loc></sitemap></sitemapindex>"
        for (name, data) in [
            ("page.html", page), ("large.bin", large), ("private.txt", Data("secret".utf8)), ("inner.xml.gz", inner),
            ("sitemap.xml", Data(index.utf8)),
        ] {
            try data.write(to: caddy.root.appendingPathComponent(name))
        }
        var configuration = CurlTransport.Configuration()
        configuration.trust.authorityFile = caddy.authorityFile
        let transport = CurlTransport(configuration: configuration)
        defer { transport.shutDown() }
        let directory = try TemporaryDirectory()
        let plane = try await ControlPlane(
            repository: SQLiteRepository(path: directory.path("server.sqlite")), transport: transport,
            timekeeper: SystemTimekeeper())
        let app = try await plane.createApp(name: "Site", bundleID: "com.example.site")
        _ = try await plane.createSegment(appID: app.id, name: "site", note: "")
        let started = try await plane.startIngest(
            appID: app.id, segment: "site", source: .sitemap("\(caddy.secureOrigin)/sitemap.xml"),
            replacesItems: true)
        let job = try await plane.waitForIngest(id: started.id)
        #expect(job.state == .succeeded, "\(job.failure ?? "")")
        #expect(job.itemsTotal == 5 && job.itemsFailed == 2)

        let items = Dictionary(
            uniqueKeysWithValues: try await plane.items(appID: app.id, segment: "site").map {
                (String($0.url.dropFirst(caddy.secureOrigin.count + 1)), $0)
            })
        let html = try #require(items["page.html"])
        #expect(html.state == .ready && html.byteCount == page.count && html.sha256 == SHA256Digest.of(page))
        #expect(html.contentEncoding != nil && html.eTag != nil && html.lastModified != nil)
        #expect(html.contentType?.hasPrefix("text/html") == true)
        let blob = try #require(items["large.bin"])
        #expect(blob.byteCount == large.count && blob.sha256 == SHA256Digest.of(large))
        #expect(blob.contentEncoding == nil)
        #expect(items["old"]?.state == .warning && items["old"]?.sha256 == html.sha256)
        #expect(items["old"]?.findings.first?.contains("page.html") == true)
        #expect(items["private.txt"]?.state == .failed && items["missing"]?.state == .failed)

        let release = try await plane.publish(appID: app.id, by: "ada").release
        #expect(release.segments.map(\.itemCount) == [3])
        await plane.shutDown()
    }
}
