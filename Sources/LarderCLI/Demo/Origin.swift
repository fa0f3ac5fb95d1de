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
        server = try HTTPServer(
            configuration: HTTPServer.Configuration(),
            routes: [
                Route(.get, "/sitemap.xml") { _ in
                    ServerResponse(
                        fields: [.contentType: "application/xml", .cacheControl: "no-cache"],
                        body: .data(.init(sitemap.withLock { $0 }.utf8)))
                }
            ], timekeeper: timekeeper)
    }

    var port: UInt16 { server.port }

    /// What `/sitemap.xml` answers from now on; it names the address that devices use.
    func setSitemap(_ text: String) { sitemap.withLock { $0 = text } }

    func stop() async { await server.stop(grace: .milliseconds(200)) }
}
