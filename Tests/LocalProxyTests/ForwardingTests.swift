import Foundation
import HTTPModel
import LocalProxy
import Primitives
import TestSupport
import Testing

@Suite("What a request and its answer are on the way through the proxy")
struct ForwardingTests {
    @Test("a stored response answers the second request, on the same connection")
    func serves() async throws {
        let origin = try ScriptedOrigin { _ in .init("hello", [.cacheControl: "max-age=60", .eTag: "\"1\""]) }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        let first = try await client.exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect((first.status, first.text) == (200, "hello"))
        #expect(first.fields["cache-status"] == "Larder; fwd=uri-miss; fwd-status=200; stored")
        let second = try await client.exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect((second.status, second.text) == (200, "hello"))
        #expect(second.fields["cache-status"]?.hasPrefix("Larder; hit; ttl=") == true)
        #expect(second.fields["age"] != nil)
        let third = try await client.exchange("GET /a HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"1\"\r\n\r\n")
        #expect((third.status, third.text) == (304, ""))
        let head = try await client.exchange("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", toHead: true)
        #expect((head.status, head.fields["content-length"]) == (200, "5"))
        let part = try await client.exchange("GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=1-2\r\n\r\n")
        #expect((part.status, part.text) == (206, "el"))
        #expect(origin.requests.count == 1)
    }

    @Test("a forward proxy takes absolute URLs, and answers a path with what to do")
    func forwards() async throws {
        let origin = try ScriptedOrigin { .init($0.target) }
        let rig = try Rig()
        let client = try rig.client()
        // The target counts, whatever Host says (RFC 9112, section 3.2.2).
        let answer = try await client.exchange("GET \(origin.origin)/a?b=c HTTP/1.1\r\nHost: elsewhere\r\n\r\n")
        #expect((answer.status, answer.text) == (200, "/a?b=c"))
        #expect(origin.requests.first?.fields[.host] == String(origin.origin.dropFirst(7)))
        let refused = try await client.exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(refused.status == 400 && refused.text.contains("this is a forward proxy"))
    }

    @Test("the origin's path is the prefix of every path")
    func keepsPrefix() async throws {
        let origin = try ScriptedOrigin { .init($0.target) }
        let rig = try Rig(origin: origin.origin + "/site/")
        #expect(try await rig.get("/a?b").text == "/site/a?b")
        #expect(try await rig.get("http://anything/c").text == "/site/c")
    }

    @Test("fields pass unchanged, in order, with their duplicates; those of one hop do not pass")
    func passesFields() async throws {
        let origin = try rawOrigin(
            "HTTP/1.1 200 OK\r\nX-B: 2\r\nX-A: 1\r\nX-B: 1\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\nKeep-Alive: 3\r\n"
                + "X-Hop: 1\r\nConnection: close, X-Hop\r\nContent-Length: 0\r\n\r\n")
        let heads = Locked<[String]>([])
        let echo = try RawServer { connection in
            while let head = try connection.readHead() {
                heads.withLock { $0.append(head) }
                try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        let answer = try await Rig(origin: origin.origin).get("/")
        #expect(answer.fields["x-b"] == "2, 1" && answer.fields["set-cookie"] == "a=b, c=d")
        #expect(
            answer.fields["keep-alive"] == nil && answer.fields["x-hop"] == nil && answer.fields["connection"] == nil)
        #expect(
            answer.fields["via"]?.hasPrefix("1.1 larder-") == true && answer.fields["date"]?.hasSuffix("GMT") == true)

        _ = try await Rig(origin: echo.origin).get(
            "/", "X-B: 2", "X-A: 1", "X-B: 1", "Connection: keep-alive, X-Hop", "X-Hop: 1", "Keep-Alive: 5",
            "Proxy-Connection: keep-alive", "TE: trailers", "Proxy-Authorization: Basic eDp5", "Cookie: a", "X-Empty:")
        let head = try #require(heads.withLock { $0.first })
        let lines = head.components(separatedBy: "\r\n").dropFirst().filter { !$0.isEmpty }
        #expect(lines.dropFirst().prefix(5) == ["X-B: 2", "X-A: 1", "X-B: 1", "Cookie: a", "X-Empty:"], "\(lines)")
        #expect(lines.last?.hasPrefix("Via: 1.1 larder-") == true)
        // Nothing is added: neither a user agent nor codings that the client did not ask for.
        #expect(lines.count == 7, "\(lines)")
    }

    @Test("a body in a content coding stays in it, in the store too")
    func keepsCoding() async throws {
        let packed = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA=="))
        let origin = try ScriptedOrigin { request in
            request.fields[.acceptEncoding] == "gzip"
                ? .init(packed, [.contentEncoding: "gzip", .cacheControl: "max-age=60", .vary: "Accept-Encoding"])
                : .init("plain", [.cacheControl: "max-age=60", .vary: "Accept-Encoding"])
        }
        let rig = try Rig(origin: origin.origin)
        for _ in 0..<2 {
            let coded = try await rig.get("/", "Accept-Encoding: gzip")
            #expect(coded.body == packed && coded.fields["content-encoding"] == "gzip")
        }
        for _ in 0..<2 {
            let plain = try await rig.get("/")
            #expect(plain.text == "plain" && plain.fields["content-encoding"] == nil)
        }
        #expect(origin.requests.count == 2)
    }

    @Test("statuses and methods that nobody knows pass", arguments: [201, 203, 299, 300, 418, 499, 599, 777, 999])
    func passesStatus(_ status: Int) async throws {
        let origin = try ScriptedOrigin { .init($0.method, status: status) }
        let rig = try Rig(origin: origin.origin)
        let answer = try await rig.client().exchange("FLY / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect((answer.status, answer.text) == (status, "FLY"))
    }

    @Test("interim responses pass before the final one, and none to HTTP/1.0")
    func passesInterim() async throws {
        let answer = "HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let origin = try RawServer { connection in
            while try connection.readHead() != nil { try connection.write(answer) }
        }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        let interim = try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(interim.status == 103 && interim.fields["link"] == "</s.css>")
        let final = try await client.response()
        #expect((final.status, final.text) == (200, "ok"))
        let old = try await rig.client().exchange("GET / HTTP/1.0\r\n\r\n")
        #expect((old.status, old.text) == (200, "ok"))
    }

    @Test(
        "a body of unknown length is chunked for HTTP/1.1, with its trailers, and ends with the connection for HTTP/1.0"
    )
    func passesChunks() async throws {
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nCache-Control: no-store\r\n\r\n"
            + "5\r\nhello\r\n6\r\n world\r\n0\r\nX-Sum: 7\r\n\r\n"
        let origin = try RawServer { connection in
            while try connection.readHead() != nil { try connection.write(chunked) }
        }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        let answer = try await client.response()
        #expect(answer.text == "hello world" && answer.fields["transfer-encoding"] == "chunked")
        let (_, raw) = try await run("curl", ["-s", "--raw", "\(rig.proxy.url?.string ?? "")"])
        #expect(raw.hasSuffix("0\r\nX-Sum: 7\r\n\r\n"), "\(raw)")
        let old = try rig.client()
        try await old.send("GET / HTTP/1.0\r\n\r\n")
        let head = try await old.response()
        #expect(head.fields["transfer-encoding"] == nil && head.fields["connection"] == "close")
        #expect(try await old.bytesUntilClosed() == 11)
    }

    @Test("uploads stream, with a length and in chunks")
    func uploads() async throws {
        let origin = try ScriptedOrigin { .init("\($0.body.count) \($0.fields[.contentLength] ?? "chunked")") }
        let rig = try Rig(origin: origin.origin)
        let body = String(repeating: "x", count: 300_000)
        let client = try rig.client()
        try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n" + body)
        #expect(try await client.response().text == "300000 300000")
        try await client.send(
            "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n493e0\r\n\(body)\r\n3;a=b\r\nabc\r\n0\r\nX-T: 1\r\n\r\n"
                + "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await client.response().text == "300003 chunked")
        #expect(try await client.response().text == "0 chunked")
    }

    @Test("100 goes to the client when the origin wants the body, and not when it answers without")
    func continues() async throws {
        let origin = try ScriptedOrigin { .init("\($0.body.count)") }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        #expect(try await client.exchange(head).status == 100)
        #expect(try await client.exchange("hello").text == "5")

        let refusing = try rawOrigin("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
        let other = try Rig(origin: refusing.origin)
        let refused = try other.client()
        #expect(try await refused.exchange(head).status == 413)
        #expect(try await refused.bytesUntilClosed() == 0)
    }

    @Test("TRACE and OPTIONS stop where Max-Forwards says")
    func stopsAtMaxForwards() async throws {
        let origin = try ScriptedOrigin { .init($0.fields["Max-Forwards"] ?? "-") }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        #expect(try await client.exchange("OPTIONS /a HTTP/1.1\r\nHost: x\r\nMax-Forwards: 3\r\n\r\n").text == "2")
        #expect(try await client.exchange("OPTIONS /a HTTP/1.1\r\nHost: x\r\nMax-Forwards: 0\r\n\r\n").status == 204)
        #expect(try await client.exchange("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").fields["allow"] != nil)
        let trace = try await client.exchange(
            "TRACE /a HTTP/1.1\r\nHost: x\r\nCookie: secret\r\nX-A: b\r\nMax-Forwards: 0\r\n\r\n")
        #expect(trace.fields["content-type"] == "message/http")
        #expect(trace.text.contains("X-A: b") && !trace.text.contains("secret"))
        #expect(origin.requests.count == 1)
    }

    @Test("without the cache everything goes to the origin")
    func bypasses() async throws {
        let origin = try ScriptedOrigin { _ in .init("a", [.cacheControl: "max-age=60"]) }
        let rig = try Rig(origin: origin.origin) { $0.bypassesCache = true }
        for _ in 0..<2 {
            #expect(try await rig.get("/").fields["cache-status"] == "Larder; fwd=bypass; fwd-status=200")
        }
        #expect(origin.requests.count == 2)
    }

    @Test("requests sent ahead are answered in order")
    func pipelines() async throws {
        let origin = try ScriptedOrigin {
            .init($0.target, [.cacheControl: $0.target == "/no" ? "no-store" : "max-age=9"])
        }
        let rig = try Rig(origin: origin.origin)
        _ = try await rig.get("/yes")
        let paths = (0..<200).map { $0.isMultiple(of: 7) ? "/no" : "/yes" }
        let client = try rig.client()
        try await client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
        for path in paths { #expect(try await client.response().text == path) }
    }
}
