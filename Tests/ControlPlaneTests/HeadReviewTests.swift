import Foundation
import HTTPModel
import Testing

@testable import ControlPlane

@Suite("What ingest says about a response")
struct HeadReviewTests {
    private static let now = Date(timeIntervalSince1970: 1_767_225_600)

    private func findings(
        status: Int = 200, _ fields: HTTPFields = ["ETag": "\"1\"", "Cache-Control": "max-age=60"],
        asked: String = "https://example.com/a", final: String? = nil, hops: [Int] = []
    ) throws -> [Finding] {
        let asked = try #require(HTTPURL(asked))
        let final = try final.map { try #require(HTTPURL($0)) } ?? asked
        return HeadReview(status: status, fields: fields, asked: asked, final: final, hops: hops, now: Self.now)
            .findings
    }

    @Test("nothing about a good response")
    func good() throws {
        #expect(try findings().isEmpty)
        #expect(try findings(["ETag": "\"1\""]).isEmpty)
        #expect(try findings(["Last-Modified": "Wed, 31 Dec 2025 00:00:00 GMT"]).isEmpty)
        #expect(try findings(["Cache-Control": "max-age=60, private"]).isEmpty)
        #expect(try findings(["Cache-Control": "no-cache=\"x-a\", max-age=60"]).isEmpty)
        #expect(try findings(["Expires": "Thu, 01 Jan 2026 01:00:00 GMT"]).isEmpty)
        #expect(try findings(["Cache-Control": "max-age=60", "Vary": "Accept-Encoding, Origin"]).isEmpty)
    }

    @Test(
        "a failure, with the reason, about what cannot be published",
        arguments: [
            (404, HTTPFields(), "status 404"), (503, HTTPFields(), "status 503"), (204, HTTPFields(), "status 204"),
            (200, ["Cache-Control": "no-store"], "no-store"),
            (200, ["Cache-Control": "max-age=60", "Vary": "Accept, *"], "Vary: *"),
            (200, ["Cache-Control": "max-age=60", "Content-Encoding": "compress"], "compress"),
        ] as [(Int, HTTPFields, String)])
    func failures(status: Int, fields: HTTPFields, text: String) throws {
        let found = try findings(status: status, fields)
        #expect(found.map(\.severity).max() == .failure)
        #expect(found.first?.sentence.contains(text) == true)
    }

    @Test(
        "a warning, with the reason, about what someone should look at",
        arguments: [
            (["Content-Type": "text/html"], "neither a validator"),
            (["Cache-Control": "max-age=0", "ETag": "\"1\""], "revalidates on each use"),
            (["Cache-Control": "max-age=soon"], "no validator either"),
            (["Cache-Control": "no-cache", "ETag": "\"1\""], "Cache-Control: no-cache"),
            (["Expires": "0", "ETag": "\"1\""], "Expires"),
            (["Expires": "Wed, 31 Dec 2025 00:00:00 GMT", "ETag": "\"1\""], "Expires"),
            (["Cache-Control": "max-age=60", "Vary": "Accept-Encoding, Cookie"], "Vary: cookie"),
            (["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], "sets a cookie"),
        ] as [(HTTPFields, String)])
    func warnings(fields: HTTPFields, text: String) throws {
        let found = try findings(fields)
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.sentence.contains(text) == true)
    }

    @Test("cleartext is named, softly on the machine itself, also behind a redirect")
    func cleartext() throws {
        let real = try findings(asked: "http://example.com/a")
        #expect(real.map(\.severity) == [.warning])
        #expect(real.first?.sentence.contains("anyone on the way") == true)
        for host in ["localhost:8080", "127.0.0.1", "[::1]:80", "a.localhost"] {
            let local = try findings(asked: "http://\(host)/a")
            #expect(local.map(\.severity) == [.warning])
            #expect(local.first?.sentence.contains("fine for a trial") == true)
        }
        #expect(try findings(asked: "http://127.example.com/").first?.sentence.contains("anyone") == true)
        let downgraded = try findings(final: "http://example.com/b", hops: [302])
        #expect(downgraded.map(\.severity) == [.warning, .warning])
    }

    @Test("a redirect is named with its target")
    func redirect() throws {
        let found = try findings(final: "https://cdn.example.com/b", hops: [301, 302])
        #expect(found.map(\.severity) == [.warning])
        #expect(found.first?.sentence.contains("(301, 302) to https://cdn.example.com/b") == true)
    }
}
