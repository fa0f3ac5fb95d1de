import ContentStore
import Foundation
import HTTPModel
import LocalProxy
import Primitives
import TestSupport
import Testing

@Suite("What the proxy makes of failures")
struct FailureTests {
    @Test("an origin that cannot be had is 502, with the reason for people and for programs")
    func reportsFailure() async throws {
        let port = try freePort()
        let rig = try Rig(origin: "http://127.0.0.1:\(port)")
        let client = try rig.client()
        let refused = try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(refused.status == 502 && refused.text.contains("connect"))
        #expect(refused.fields["cache-status"] == "Larder; fwd=miss; detail=connection_refused")
        #expect(refused.fields["proxy-status"]?.hasSuffix("; error=connection_refused") == true)
        // The connection goes on.
        let absent = try await client.exchange("GET / HTTP/1.1\r\nHost: x\r\nCache-Control: only-if-cached\r\n\r\n")
        #expect(absent.status == 504 && absent.fields["cache-status"] == "Larder; detail=only-if-cached")
    }

    @Test("an answer that is no HTTP is 502", arguments: ["hello\r\n\r\n", ""])
    func refusesGarbage(_ bytes: String) async throws {
        let origin = try rawOrigin(bytes)
        #expect(try await Rig(origin: origin.origin).get("/").status == 502)
    }

    @Test("an origin that says nothing is 504")
    func timesOut() async throws {
        let origin = try RawServer { connection in connection.drain() }
        let rig = try Rig(origin: origin.origin) { $0.originIdleTimeout = .milliseconds(200) }
        #expect(try await rig.get("/").status == 504)
    }

    @Test(
        "a body that the origin cuts short is never whole for the client, and is not stored",
        arguments: [
            "Content-Length: 100\r\n\r\nhalf", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n",
        ])
    func cutsShort(_ rest: String) async throws {
        let origin = try rawOrigin("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n" + rest)
        let rig = try Rig(origin: origin.origin)
        let (status, _) = try await run("curl", ["-s", rig.proxy.url?.string ?? ""])
        // 18: transfer closed with bytes missing; 56: reset.
        #expect(status == 18 || status == 56, "\(status)")
        #expect(try rig.store.entries(for: #require(HTTPURL(origin.origin + "/"))).isEmpty)
    }

    @Test("a client that goes away ends the fetch")
    func cancels() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let origin = try RawServer { connection in
            guard try connection.readHead() != nil else { return }
            ask.yield()
            connection.drain()
            end.yield()
        }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for await _ in asked { break }
        client.close()
        for await _ in ends { break }
    }

    @Test("a request that comes back to the proxy is told so")
    func detectsLoop() async throws {
        let rig = try Rig { $0.name = "here" }
        let url = try #require(rig.proxy.url)
        let answer = try await rig.client().exchange("GET \(url) HTTP/1.1\r\nHost: x\r\nVia: 1.1 here\r\n\r\n")
        #expect(answer.status == 508)
        let through = try await rig.client().exchange("GET \(url)a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(through.status == 400)
    }

    @Test(
        "what is no honest HTTP/1 request is refused with a sentence, and the connection ends",
        arguments: [
            ("GET / HTTP/1.1\n\n", 400), ("GET / HTTP/1.1\r\nHost: x\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nX-A: b\rX-B: c\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nX A: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\n: b\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x\r\nX-A\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nX-A: \u{0}\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400),
            ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET /\u{e9} HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400),
            ("GET / HTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
            ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", 400), ("\u{0}", 400), ("(GET) / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nabc", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\nabc", 400),
            ("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: a\n\r\n\r\n", 400),
            ("CONNECT example.com HTTP/1.1\r\nHost: x\r\n\r\n", 405),
            ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        ])
    func refusesMalformed(_ bytes: String, _ status: Int) async throws {
        // A patient origin: a request that is taken by mistake would get its 200.
        let origin = try ScriptedOrigin { _ in .init("taken") }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        let wire = Data(bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        try await client.send(wire)
        let answer = try await client.response()
        #expect(answer.status == status, "\(bytes.debugDescription) gave \(answer.status) \(answer.text)")
        #expect(answer.fields["connection"] == "close")
        #expect(try await client.bytesUntilClosed() == 0)
    }

    @Test("a head that comes byte by byte is the same head")
    func readsSlowly() async throws {
        let origin = try ScriptedOrigin { .init($0.fields["X-A"] ?? "") }
        let rig = try Rig(origin: origin.origin)
        let client = try rig.client()
        for byte in "\r\nGET / HTTP/1.1\r\nHost: x\r\nX-A: bc\r\n\r\n".utf8 { try await client.send(Data([byte])) }
        #expect(try await client.response().text == "bc")
    }

    @Test("too long a target is 414, too large a head 431")
    func refusesTooMuch() async throws {
        let origin = try ScriptedOrigin { .init("\($0.target.utf8.count)") }
        let rig = try Rig(origin: origin.origin) { ($0.targetByteCountMax, $0.headByteCountMax) = (1_000, 4_000) }
        #expect(try await rig.get("/" + String(repeating: "a", count: 999)).text == "1000")
        #expect(try await rig.get("/" + String(repeating: "a", count: 1_000)).status == 414)
        #expect(try await rig.get("/" + String(repeating: "a", count: 50_000)).status == 414)
        #expect(try await rig.get("/", "X: " + String(repeating: "a", count: 3_000)).status == 200)
        #expect(try await rig.get("/", "X: " + String(repeating: "a", count: 5_000)).status == 431)
    }

    @Test("who sends a head too slowly gets 408, who sends none is let go")
    func timesClientsOut() async throws {
        let time = ManualTimekeeper()
        let rig = try Rig(time: time)
        let slow = try rig.client()
        let idle = try rig.client()
        let warm = try await slow.exchange("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(warm.status == 400)
        let begun = try rig.client()
        #expect(try await begun.exchange("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\nGET http://a").status == 204)
        time.advance(by: .seconds(31))
        #expect(try await begun.response().status == 408)
        #expect(try await begun.bytesUntilClosed() == 0)
        time.advance(by: .seconds(31))
        #expect(try await idle.bytesUntilClosed() == 0)
    }
}
