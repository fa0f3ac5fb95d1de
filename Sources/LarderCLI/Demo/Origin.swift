import Foundation
import HTTPModel
import HTTPServer
import Primitives

/// The demo's origin: a web server of the site's directory, that can be stopped.
final class Origin: Sendable {
    private let server: HTTPServer
    private let sitemap: Locked<String>

    /// Starts to serve on a free loopback port.
    init(site: DemoSite, timekeeper: any Timekeeping) throws {
        let sitemap = Locked("")
        self.sitemap = sitemap
        var options = StaticFiles.Options()
        options.cacheControl = { _ in "public, max-age=3600" }
        let files = try StaticFiles(directory: site.directory, options: options)
        let sitemapRoute = Route(.get, "/sitemap.xml", bodyByteCountMax: 0) { _ in
            ServerResponse(
                fields: [.contentType: "application/xml", .cacheControl: "no-cache"],
                body: .data(Data(sitemap.withLock { $0 }.utf8)))
        }
        server = try HTTPServer(
            configuration: HTTPServer.Configuration(), routes: [sitemapRoute, files.route()], timekeeper: timekeeper)
    }

    var port: UInt16 { server.port }

    /// What `/sitemap.xml` answers from now on; it names the address that devices use.
    func setSitemap(_ text: String) { sitemap.withLock { $0 = text } }

    func stop() async { await server.stop(grace: .milliseconds(200)) }
}
