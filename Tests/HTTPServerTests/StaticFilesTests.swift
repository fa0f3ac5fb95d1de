import Foundation
import HTTPModel
import HTTPServer
import TestSupport
import Testing
import Wire

@Suite("Static files")
struct StaticFilesTests {
    /// A small site in a directory that goes when the test is done.
    private final class Site: Sendable {
        let directory: TemporaryDirectory
        let running: RunningServer
        let page = String(repeating: "<p>The quick brown fox jumps over the lazy dog.</p>\n", count: 200)
        let image = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

        init(options: StaticFiles.Options = StaticFiles.Options()) throws {
            directory = try TemporaryDirectory()
            let root = URL(filePath: directory.path).appending(path: "site")
            for name in ["a b", ".git", ".well-known"] {
                try FileManager.default.createDirectory(
                    at: root.appending(path: name), withIntermediateDirectories: true)
            }
            try Data("secret".utf8).write(to: URL(filePath: directory.path).appending(path: "secret.txt"))
            try Data("secret".utf8).write(to: root.appending(path: ".git/config"))
            try Data("found".utf8).write(to: root.appending(path: ".well-known/security.txt"))
            try Data(page.utf8).write(to: root.appending(path: "index.html"))
            try Data("é".utf8).write(to: root.appending(path: "a b/index.html"))
            try image.write(to: root.appending(path: "image.png"))
            try Data().write(to: root.appending(path: "empty.css"))
            try FileManager.default.createSymbolicLink(
                at: root.appending(path: "link.txt"),
                withDestinationURL: URL(filePath: directory.path).appending(path: "secret.txt"))
            try FileManager.default.createSymbolicLink(
                at: root.appending(path: "up"), withDestinationURL: URL(filePath: directory.path))
            try FileManager.default.createSymbolicLink(
                at: root.appending(path: "inside.png"), withDestinationURL: root.appending(path: "image.png"))
            running = try RunningServer([StaticFiles(directory: root.path, options: options).route()])
        }

        var root: URL { URL(filePath: directory.path).appending(path: "site") }
    }

    @Test("come with their media type, validators and Cache-Control")
    func types() async throws {
        var options = StaticFiles.Options()
        options.cacheControl = { $0.hasSuffix(".png") ? "public, max-age=31536000, immutable" : nil }
        let site = try Site(options: options)
        let page = try await site.running.get("/")
        #expect(page.status == 200)
        #expect(page.text == site.page)
        #expect(page.fields["content-type"] == "text/html; charset=utf-8")
        #expect(page.fields["cache-control"] == nil)
        let image = try await site.running.get("/image.png")
        #expect(image.body == site.image)
        #expect(image.fields["content-type"] == "image/png")
        #expect(image.fields["cache-control"] == "public, max-age=31536000, immutable")
        #expect(image.fields["accept-ranges"] == "bytes")
        #expect(image.fields["last-modified"]?.hasSuffix("GMT") == true)
        #expect(image.fields["etag"]?.hasPrefix("\"") == true)
        #expect(try await site.running.get("/inside.png").body == site.image)
        #expect(try await site.running.get("/empty.css").body.isEmpty)
        let head = try await site.running.get("/image.png", method: "HEAD")
        #expect(head.fields["content-length"] == "50000")
        await site.running.server.stop()
    }

    @Test("are not sent again to who has them")
    func conditions() async throws {
        let site = try Site()
        let first = try await site.running.get("/image.png")
        let tag = try #require(first.fields["etag"]), date = try #require(first.fields["last-modified"])
        for fields in [
            ["If-None-Match": tag], ["If-None-Match": "\"x\", W/\(tag)"], ["If-None-Match": "*"],
            ["If-Modified-Since": date],
            ["If-None-Match": tag, "If-Modified-Since": "Mon, 01 Jan 1990 00:00:00 GMT"],
        ] {
            let response = try await site.running.get("/image.png", fields: fields)
            #expect(response.status == 304, "\(fields)")
            #expect(response.fields["etag"] == tag)
            #expect(response.fields["cache-control"] == first.fields["cache-control"])
            #expect(response.fields["content-type"] == nil)
            // What is said here is said of the representation (RFC 9110, section 8.6).
            #expect(response.fields["content-length"] == "50000")
        }
        for fields in [
            ["If-None-Match": "\"x\""], ["If-Modified-Since": "Mon, 01 Jan 1990 00:00:00 GMT"],
            ["If-None-Match": "\"x\"", "If-Modified-Since": date], ["If-Modified-Since": "yesterday"],
            ["If-Match": tag],
            ["If-Unmodified-Since": date],
        ] {
            #expect(try await site.running.get("/image.png", fields: fields).status == 200, "\(fields)")
        }
        for fields in [
            ["If-Match": "\"x\""], ["If-Match": "W/\(tag)"], ["If-Unmodified-Since": "Mon, 01 Jan 1990 00:00:00 GMT"],
        ] {
            #expect(try await site.running.get("/image.png", fields: fields).status == 412, "\(fields)")
        }
        await site.running.server.stop()
    }

    @Test("come in parts when a part is asked for")
    func ranges() async throws {
        let site = try Site()
        let tag = try #require(try await site.running.get("/image.png").fields["etag"])
        let cases: [(range: String, offsets: Range<Int>)] = [
            ("bytes=0-0", 0..<1), ("bytes=100-199", 100..<200), ("bytes=49990-", 49_990..<50_000),
            ("bytes=-10", 49_990..<50_000), ("bytes=49999-99999", 49_999..<50_000), ("bytes=-99999", 0..<50_000),
        ]
        for (range, offsets) in cases {
            let part = try await site.running.get("/image.png", fields: ["Range": range])
            #expect(part.status == 206, "\(range)")
            #expect(part.body == site.image[offsets], "\(range)")
            #expect(part.fields["content-range"] == "bytes \(offsets.lowerBound)-\(offsets.upperBound - 1)/50000")
            #expect(part.fields["etag"] == tag)
        }
        for range in ["bytes=50000-", "bytes=-0"] {
            let refused = try await site.running.get("/image.png", fields: ["Range": range])
            #expect(refused.status == 416, "\(range)")
            #expect(refused.fields["content-range"] == "bytes */50000")
            #expect(refused.fields["content-type"] == "application/problem+json")
        }
        for range in ["bytes=5-2", "lines=1-2", "bytes=0-1,4-5", "bytes=a-b", "bytes=-"] {
            #expect(try await site.running.get("/image.png", fields: ["Range": range]).status == 200, "\(range)")
        }
        let same = try await site.running.get("/image.png", fields: ["Range": "bytes=0-9", "If-Range": tag])
        #expect(same.status == 206)
        let other = try await site.running.get("/image.png", fields: ["Range": "bytes=0-9", "If-Range": "\"x\""])
        #expect(other.status == 200)
        await site.running.server.stop()
    }

    @Test("of text are compressed for clients that take it, under a tag of their own")
    func compression() async throws {
        let site = try Site()
        let plain = try await site.running.get("/index.html")
        let gzip = try await site.running.get("/index.html", fields: ["Accept-Encoding": "br;q=0, gzip"])
        #expect(gzip.fields["content-encoding"] == "gzip")
        #expect(gzip.fields["vary"] == "Accept-Encoding")
        #expect(plain.fields["vary"] == "Accept-Encoding")
        #expect(gzip.body.count < plain.body.count / 4)
        #expect(gzip.body.prefix(2) == Data([0x1F, 0x8B]))
        #expect(try Self.gunzip(gzip.body) == Data(site.page.utf8))
        #expect(gzip.fields["etag"] != plain.fields["etag"])
        let tag = try #require(gzip.fields["etag"])
        let again = try await site.running.get(
            "/index.html", fields: ["Accept-Encoding": "gzip", "If-None-Match": tag])
        #expect(again.status == 304)
        for refusal in ["identity", "gzip;q=0", "*;q=0", "br", ""] {
            let response = try await site.running.get("/index.html", fields: ["Accept-Encoding": refusal])
            #expect(response.fields["content-encoding"] == nil, "\(refusal)")
        }
        let image = try await site.running.get("/image.png", fields: ["Accept-Encoding": "gzip"])
        #expect(image.fields["content-encoding"] == nil)
        #expect(image.fields["vary"] == nil)
        let part = try await site.running.get(
            "/index.html", fields: ["Accept-Encoding": "gzip", "Range": "bytes=0-2"])
        #expect(part.text == "<p>")
        await site.running.server.stop()
    }

    @Test("compressed beforehand are sent as they are, unless the original is newer")
    func precompressed() async throws {
        let site = try Site()
        let file = site.root.appending(path: "index.html.br")
        try Data("brotli bytes".utf8).write(to: file)
        let response = try await site.running.get("/", fields: ["Accept-Encoding": "gzip, br"])
        #expect(response.fields["content-encoding"] == "br")
        #expect(response.text == "brotli bytes")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: file.path)
        let newer = try await site.running.get("/", fields: ["Accept-Encoding": "gzip, br"])
        #expect(newer.fields["content-encoding"] == "gzip")
        await site.running.server.stop()
    }

    @Test("that change are served anew")
    func changes() async throws {
        let site = try Site()
        let before = try await site.running.get("/", fields: ["Accept-Encoding": "gzip"])
        try Data("changed".utf8).write(to: site.root.appending(path: "index.html"))
        let after = try await site.running.get("/", fields: ["Accept-Encoding": "gzip"])
        #expect(after.fields["etag"] != before.fields["etag"])
        #expect(after.text == "changed")
        await site.running.server.stop()
    }

    @Test(
        "outside of the directory, hidden, or of no clear name are not served",
        arguments: [
            "/link.txt", "/up/secret.txt", "/up/", "/.git/config", "/.git/", "/index.html/", "//index.html",
            "/a%20b//index.html",
            "/missing", "/missing/", "/image.png/x",
        ])
    func refused(target: String) async throws {
        let site = try Site()
        let response = try await site.running.get(target)
        #expect(response.status == 404)
        #expect(response.fields["content-type"] == "application/problem+json")
        #expect(!response.text.contains("secret"))
        await site.running.server.stop()
    }

    @Test("of a directory are its index page, under the path with a slash")
    func directories() async throws {
        let site = try Site()
        let redirect = try await site.running.get("/a%20b")
        #expect(redirect.status == 301)
        #expect(redirect.fields["location"] == "/a%20b/")
        #expect(try await site.running.get("/a%20b/").text == "é")
        #expect(try await site.running.get("/.well-known/security.txt").text == "found")
        #expect(try await site.running.get("/image.png", method: "POST").status == 405)
        await site.running.server.stop()
    }

    @Test("need a directory that is there")
    func noDirectory() {
        #expect(throws: HTTPServerError.self) { try StaticFiles(directory: "/nonexistent/directory") }
    }

    /// Decompresses with the system's own gzip.
    private static func gunzip(_ data: Data) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc"]
        let input = Pipe(), output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: data)
        try input.fileHandleForWriting.close()
        let plain = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return plain
    }
}
