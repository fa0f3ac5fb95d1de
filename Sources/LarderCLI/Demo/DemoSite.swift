import Foundation
import HTTPModel
import HTTPServer
import Primitives
import Transport

/// The content of a demo: a directory of files, or a copy of a site that a sitemap lists.
struct DemoSite: Sendable {
    /// The directory that the demo's origin serves.
    var directory: String
    /// Paths of the pages, the start page first: "/", "/guide/".
    var pages: [String]
    /// Paths of everything else.
    var assets: [String]
    var byteCount: Int64

    private static let fileCountMax = 400
    private static let mirrorByteCountMax: Int64 = 64 << 20

    /// Reads a directory.
    /// - Throws: ``CommandFailure`` when there is nothing to serve.
    static func reading(_ directory: String) throws -> DemoSite {
        var site = DemoSite(directory: directory, pages: [], assets: [], byteCount: 0)
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String }.sorted() ?? []
        for name in names.prefix(fileCountMax) where !name.split(separator: "/").contains(where: { $0.hasPrefix(".") })
        {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            guard attributes[.type] as? FileAttributeType == .typeRegular, name != "sitemap.xml" else { continue }
            site.byteCount += (attributes[.size] as? NSNumber)?.int64Value ?? 0
            let encoded = name.split(separator: "/").map(Self.percentEncoded).joined(separator: "/")
            if name == "index.html" || name.hasSuffix("/index.html") {
                site.pages.append("/" + encoded.dropLast("index.html".count))
            } else if name.hasSuffix(".html") {
                site.pages.append("/" + encoded)
            } else {
                site.assets.append("/" + encoded)
            }
        }
        site.pages.sort { ($0.count, $0) < ($1.count, $1) }
        guard !site.pages.isEmpty else {
            throw CommandFailure("\(directory) has no .html file: give --site a directory with a web site in it")
        }
        return site
    }

    private static func percentEncoded(_ segment: Substring) -> String {
        segment.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? String(segment)
    }

    /// The sitemap of the pages, as the origin serves it.
    func sitemap(origin: String) -> String {
        let rows = pages.map { "  <url><loc>\(origin)\($0)</loc></url>" }.joined(separator: "\n")
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
            \(rows)
            </urlset>

            """
    }

    // MARK: - Copying a site

    /// Copies a site of the web into a directory: the pages of its sitemap and what they name.
    static func mirroring(_ sitemap: HTTPURL, into directory: String, progress: ProgressBar) async throws -> DemoSite {
        let transport = CurlTransport()
        defer { transport.shutDown() }
        let sitemapURL = sitemap.path.hasSuffix(".xml") ? sitemap : sitemap.resolving("/sitemap.xml") ?? sitemap
        let listed = try await fetch(sitemapURL, over: transport)
        let locations = String(decoding: listed, as: UTF8.self).matches(of: /<loc>\s*([^<\s]+)\s*<\/loc>/)
        var queue = locations.compactMap { HTTPURL(String($0.output.1).replacing("&amp;", with: "&")) }
            .filter { $0.origin == sitemapURL.origin }
        guard !queue.isEmpty else {
            throw CommandFailure("\(sitemapURL) lists no page of \(sitemapURL.origin): is it a sitemap?")
        }
        var seen = Set(queue)
        var byteCount: Int64 = 0
        var done = 0
        while done < queue.count, done < fileCountMax, byteCount < mirrorByteCountMax {
            let url = queue[done]
            done += 1
            progress.show(Int64(done), of: Int64(queue.count), "\(done) files, \(Figures.bytes(byteCount))")
            let body: Data
            do { body = try await fetch(url, over: transport) } catch let failure as CommandFailure {
                Console.note("  left out: \(failure)")
                continue
            }
            byteCount += Int64(body.count)
            try save(body, of: url, in: directory)
            for reference in references(in: body, of: url) where seen.insert(reference).inserted {
                queue.append(reference)
            }
        }
        progress.finish()
        return try reading(directory)
    }

    private static func fetch(_ url: HTTPURL, over transport: CurlTransport) async throws -> Data {
        var url = url
        for _ in 0..<5 {
            let response: TransportResponse
            do { response = try await transport.send(TransportRequest(HTTPRequest(url: url))) } catch let error
                as TransportError
            {
                throw CommandFailure("\(url): \(error)", .unavailable)
            }
            if (300..<400).contains(response.response.status),
                let next = response.response.fields[.location].flatMap(url.resolving)
            {
                url = next
                continue
            }
            guard response.response.status == 200 else {
                throw CommandFailure("\(url) answered \(response.response.status)", .unavailable)
            }
            return try await response.body.collect(upTo: 16 << 20)
        }
        throw CommandFailure("\(url): too many redirects", .unavailable)
    }

    private static func save(_ body: Data, of url: HTTPURL, in directory: String) throws {
        var path = url.path.removingPercentEncoding ?? url.path
        if path.hasSuffix("/") { path += "index.html" }
        if !path.contains("."), body.starts(with: Data("<".utf8)) { path += "/index.html" }
        let parts = path.split(separator: "/")
        guard !parts.contains("..") else { return }
        let file = directory + "/" + parts.joined(separator: "/")
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try body.write(to: URL(fileURLWithPath: file))
    }

    /// What a page or style sheet of the same origin names: style sheets, scripts, images, fonts.
    private static func references(in body: Data, of url: HTTPURL) -> [HTTPURL] {
        let isStyle = url.path.hasSuffix(".css")
        guard isStyle || url.path.hasSuffix(".html") || !(url.path.split(separator: "/").last ?? "").contains(".")
        else {
            return []
        }
        let text = String(decoding: body, as: UTF8.self)
        let found =
            isStyle
            ? text.matches(of: /url\(["']?([^"')]+)["']?\)/).map { String($0.output.1) }
            : text.matches(of: /<(?:link|img|script)[^>]*?(?:href|src)="([^"#]+)"/).map { String($0.output.1) }
        return found.compactMap(url.resolving).filter { $0.origin == url.origin }
    }
}
