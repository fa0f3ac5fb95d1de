import Foundation
import HTTPModel
import HTTPServer
import Primitives
import TestSupport
import Testing
import Wire

@Suite("Bad input")
struct BadInputTests {
    private func server() throws -> RunningServer {
        try RunningServer([
            Route(.get, "/items/{name}") { request in text(request.parameter("name")) },
            Route(.put, "/items/{name}", bodyByteCountMax: 10) { request in text("\(request.body.count)") },
            Route(.get, "/files/{path...}") { request in text(request.parameter("path")) },
            Route(.get, "/query") { request in
                text(request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|"))
            },
        ])
    }

    private func problem(_ response: RawResponse) throws -> ProblemDocument {
        #expect(response.fields["content-type"] == "application/problem+json")
        let problem = try WireCoding.decode(ProblemDocument.self, from: response.body)
        #expect(problem.status == response.status)
        #expect(problem.type.hasPrefix("/problems/"))
        #expect(!problem.detail.isEmpty)
        return problem
    }

    @Test("on an unknown path is answered 404")
    func notFound() async throws {
        let running = try server()
        for target in ["/", "/nowhere", "/items", "/items/", "/items//", "/items/a/b", "//items/a", "/items/a/"] {
            let response = try await running.get(target)
            #expect(response.status == 404, "\(target)")
            #expect(try problem(response).type == "/problems/not-found")
        }
        #expect(try await running.get("/nowhere", method: "HEAD").status == 404)
        await running.server.stop()
    }

    @Test("of another method is answered 405 with Allow")
    func methodNotAllowed() async throws {
        let running = try server()
        for method in ["POST", "DELETE", "OPTIONS", "BREW", "get"] {
            let response = try await running.send(method, "/items/a", body: "")
            #expect(response.status == 405, "\(method)")
            #expect(response.fields["allow"] == "GET, HEAD, PUT")
            #expect(try problem(response).detail.contains(method))
        }
        await running.server.stop()
    }

    @Test(
        "in a path is answered 400 instead of being understood somehow",
        arguments: [
            "/items/..", "/items/../items/a", "/files/a/../../etc/passwd", "/items/%2e%2e", "/items/.%2E/a",
            "/files/./a",
            "/items/a%2Fb", "/items/a%2fb", "/items/a%5Cb", "/items/a\\b", "/items/%00", "/items/a%00b", "/items/%",
            "/items/%4", "/items/%zz", "/items/%C3%28", "/items/%ff", "/items/a%0d%0aX:1", "/items/%7f",
            "/query?a=%", "/query?a=%00", "/query?%ff=1", "items/a", "*", "example.com:80",
        ])
    func pathTricks(target: String) async throws {
        let running = try server()
        let response = try await running.get(target)
        #expect(response.status == 400)
        #expect(try problem(response).type == "/problems/bad-request")
        #expect(try await running.get("/items/still-there").text == "still-there")
        await running.server.stop()
    }

    @Test("aside, paths and queries are decoded exactly once")
    func decodedOnce() async throws {
        let running = try server()
        #expect(try await running.get("/items/a%20b%C3%A9").text == "a bé")
        #expect(try await running.get("/items/%252e%252e").text == "%2e%2e")
        #expect(try await running.get("/items/a+b").text == "a+b")
        #expect(try await running.get("/files/a/b%20c/").text == "a/b c/")
        #expect(try await running.get("/files/").text == "")
        #expect(try await running.get("/query?a=1&b=x+y%2B%2F&c&a=%26").text == "a=1|b=x y+/|c=|a=&")
        #expect(try await running.get("http://other.example/items/z?q=/").text == "z")
        await running.server.stop()
    }

    @Test("in the framing of a message is answered 400 and ends the connection")
    func framing() async throws {
        let running = try server()
        let heads: [(String, Int)] = [
            ("Host: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n", 400),
            ("Host: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n", 400),
            ("Host: x\r\nTransfer-Encoding: gzip\r\n", 501),
            ("Host: x\r\nTransfer-Encoding: gzip, chunked\r\n", 501),
        ]
        for (fields, status) in heads {
            let client = try running.client()
            let response = try await client.exchange("PUT /items/a HTTP/1.1\r\n\(fields)\r\n0\r\n\r\n")
            #expect(response.status == status, "\(fields)")
            _ = try problem(response)
            #expect(try await client.bytesUntilClosed() == 0)
        }
        await running.server.stop()
    }

    @Test("without Host, or with two, is answered 400")
    func host() async throws {
        let running = try server()
        for fields in ["", "Host: a\r\nHost: b\r\n"] {
            let response = try await running.client().exchange("GET /items/a HTTP/1.1\r\n\(fields)\r\n")
            #expect(response.status == 400)
            #expect(try problem(response).detail.contains("Host"))
        }
        #expect(try await running.client().exchange("GET /items/a HTTP/1.0\r\n\r\n").text == "a")
        await running.server.stop()
    }

    @Test("too long for its route is answered 413 and not handed on")
    func bodyTooLong() async throws {
        let running = try server()
        let client = try running.client()
        // A little too long: read past, and the connection lives on.
        let short = try await client.exchange(
            "PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nhello world")
        #expect(short.status == 413)
        #expect(try problem(short).detail.contains("10 bytes"))
        let chunked = try await client.exchange(
            "PUT /items/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nhello world\r\n0\r\n\r\n")
        #expect(chunked.status == 413)
        let fitting = try await client.exchange(
            "PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhelloworld")
        #expect(fitting.text == "10")
        await running.server.stop()
    }

    @Test("announced to be far too long is answered before it is sent, and the connection ends")
    func hugeBody() async throws {
        let running = try server()
        let client = try running.client()
        let response = try await client.exchange(
            "PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n")
        #expect(response.status == 413)
        #expect(try await client.bytesUntilClosed() == 0)
        let asking = try running.client()
        let refused = try await asking.exchange(
            "PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n")
        #expect(refused.status == 413)
        let welcome = try await running.client().exchange(
            "PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        #expect(welcome.status == 100)
        await running.server.stop()
    }

    @Test("in endless chunks ends the connection within a bound")
    func endlessChunks() async throws {
        let running = try server()
        let client = try running.client()
        try await client.send("PUT /items/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Data("10000\r\n".utf8) + Data(repeating: 65, count: 65_536) + Data("\r\n".utf8)
        var sent = 0
        do {
            while sent < 1_000 {
                try await client.send(chunk)
                sent += 1
            }
        } catch {}
        // 1 MiB is read past, and what the sockets' buffers hold may be under way.
        #expect(sent < 500)
        #expect(try await running.get("/items/still-there").text == "still-there")
        await running.server.stop()
    }

    @Test("in the head's size is answered 414 and 431")
    func headTooLarge() async throws {
        let running = try server()
        let target = try await running.get("/items/" + String(repeating: "a", count: 9_000))
        #expect(target.status == 414)
        _ = try problem(target)
        let fields = try await running.get("/items/a", fields: ["X-Long": String(repeating: "b", count: 20_000)])
        #expect(fields.status == 431)
        _ = try problem(fields)
        // Beyond what is read of a head at all the answer is libmicrohttpd's.
        let client = try running.client()
        let endless = try await client.exchange(
            "GET /items/a HTTP/1.1\r\nHost: x\r\nX-Endless: " + String(repeating: "c", count: 200_000))
        #expect([413, 414, 431].contains(endless.status))
        #expect(try await running.get("/items/still-there").text == "still-there")
        await running.server.stop()
    }

    @Test("in a field's name is answered 400")
    func fieldName() async throws {
        let running = try server()
        let response = try await running.client().exchange("GET /items/a HTTP/1.1\r\nHost: x\r\nB@d: 1\r\n\r\n")
        #expect(response.status == 400)
        await running.server.stop()
    }

    @Test("of any other version is answered 505")
    func version() async throws {
        let running = try server()
        for version in ["HTTP/2.0", "HTTP/1.2", "HTTP/0.9"] {
            let client = try running.client()
            let response = try await client.exchange("GET /items/a \(version)\r\nHost: x\r\n\r\n")
            #expect(response.status == 505 || response.status == 400, "\(version)")
        }
        await running.server.stop()
    }

    @Test("that is no HTTP at all harms nobody")
    func garbage() async throws {
        let running = try server()
        let garbage: [Data] = [
            Data("\r\n\r\n\r\n".utf8), Data("GARBAGE\r\n\r\n".utf8), Data("GET\r\n\r\n".utf8),
            Data(repeating: 0, count: 5_000),
            Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }),
            Data("GET /items/a HTTP/1.1\nHost x\n\n".utf8), Data("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}".utf8),
            Data("PUT /items/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n".utf8),
            Data("PUT /items/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n".utf8),
            Data("PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".utf8),
            Data("PUT /items/a HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n".utf8),
            Data("GET /items/a\u{0}b HTTP/1.1\r\nHost: x\r\n\r\n".utf8),
        ]
        for (index, bytes) in garbage.enumerated() {
            let client = try running.client()
            // The server may have closed before the last byte is sent.
            do { try await client.send(bytes) } catch {}
            client.close(withReset: index.isMultiple(of: 2))
            #expect(try await running.get("/items/still-there").text == "still-there")
        }
        await running.server.stop()
    }

    @Test("from a handler becomes a problem document without the reason, which goes to the log")
    func failingHandlers() async throws {
        struct Secret: Error { var text = "the password is xyzzy" }
        let running = try RunningServer([
            Route(.get, "/problem") { _ in
                throw ProblemDocument(type: "/problems/gone", title: "Gone", status: 410, detail: "It was here.")
            },
            Route(.get, "/secret") { _ in throw Secret() },
            Route(.get, "/lost") { _ in ServerResponse(body: .file(path: "/nonexistent/file", range: nil)) },
            Route(.get, "/odd") { _ in ServerResponse(status: 9_999) },
            Route(.get, "/login") { _ in
                throw ProblemDocument(type: "/problems/x", title: "No", status: 401, detail: "Sign in.")
            },
        ])
        #expect(try problem(try await running.get("/problem")).status == 410)
        for path in ["/secret", "/lost", "/odd"] {
            let response = try await running.get(path)
            #expect(response.status == 500)
            #expect(!response.text.contains("xyzzy"))
            #expect(try problem(response).type == "/problems/internal-error")
        }
        #expect(try await running.get("/login").fields["www-authenticate"]?.hasPrefix("Bearer") == true)
        let log = await running.log(lines: 5)
        #expect(log.first { $0.route == "/secret" }?.failure?.contains("xyzzy") == true)
        #expect(log.first { $0.route == "/lost" }?.failure != nil)
        #expect(log.first { $0.route == "/problem" }?.failure == nil)
        await running.server.stop()
    }
}
