import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("One exchange")
    struct ExchangeTests {
        /// A server that answers every request with its head and body as it got them.
        static func mirror() throws -> RawServer {
            try RawServer { connection in
                while let head = try connection.readHead() {
                    let length = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    let count = length.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
                    let body = try connection.read(count)
                    let answer = Data(head.utf8) + body
                    let isHead = head.hasPrefix("HEAD ")
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(answer.count)\r\n\r\n")
                    if !isHead { try connection.write(answer) }
                }
            }
        }

        @Test("sends the target byte for byte and the fields in order, duplicates kept")
        func requestHead() async throws {
            let server = try Self.mirror()
            let transport = CurlTransport()
            let fields = HTTPFields([
                .init("X-One", "1"), .init("x-two", "2"), .init("X-One", "3"), .init("X-Empty", ""),
                .init("User-Agent", "Test"),
            ])
            let response = try await transport.send(request(server.origin + "/a/../b%2f?q=[x]&y", fields: fields))
            #expect(response.response.status == 200)
            let lines = try await response.text().split(separator: "\r\n").map(String.init)
            #expect(lines.first == "GET /a/../b%2f?q=[x]&y HTTP/1.1")
            #expect(
                lines.filter { $0.lowercased().hasPrefix("x-") } == ["X-One: 1", "x-two: 2", "X-One: 3", "X-Empty:"])
            #expect(lines.filter { $0.hasPrefix("User-Agent") } == ["User-Agent: Test"])
            #expect(lines.contains("Host: 127.0.0.1:\(server.port)"))
            #expect(lines.contains("Accept: */*"))
            #expect(!lines.contains { $0.hasPrefix("Expect") || $0.hasPrefix("Cookie") })
        }

        @Test(
            "sends any method, with and without a body",
            arguments: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "x-odd"])
        func methods(name: String) async throws {
            let server = try Self.mirror()
            let transport = CurlTransport()
            let method = try #require(HTTPMethod(rawValue: name))
            let bare = try await transport.text(request(server.origin + "/m", method: method))
            #expect(bare.hasPrefix("\(name) /m HTTP/1.1\r\n"))
            #expect(bare.contains("Content-Length: 0") == ["POST", "PUT", "PATCH"].contains(name))
            let full = try await transport.text(
                request(server.origin + "/m", method: method, body: .data(Data("body".utf8))))
            #expect(full.hasPrefix("\(name) /m HTTP/1.1\r\n"))
            #expect(full.hasSuffix("\r\n\r\nbody"))
            #expect(full.contains("Content-Length: 4\r\n"))
            #expect(!full.contains("Content-Type") && !full.contains("Expect"))
        }

        @Test("asks for the head alone with HEAD")
        func head() async throws {
            let server = try Self.mirror()
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin, method: .head))
            #expect(response.response.fields[.contentLength] != nil)
            #expect(try await response.body.collect() == Data())
            // The connection is still good, so libcurl has not waited for a body.
            _ = try await transport.text(request(server.origin))
            #expect(server.connectionCount == 1)
        }

        @Test("refuses CONNECT, which is no exchange")
        func connect() async throws {
            let method = try #require(HTTPMethod(rawValue: "CONNECT"))
            let transport = CurlTransport()
            let code = await code { _ = try await transport.send(request("http://127.0.0.1:1/", method: method)) }
            #expect(code == .other)
        }

        @Test("hands out interim responses, duplicate fields and trailers")
        func interimAndTrailers() async throws {
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write(
                    """
                    HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n\
                    HTTP/1.1 100 Continue\r\n\r\n\
                    HTTP/1.1 207 Multi\r\nTransfer-Encoding: chunked\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\n\
                    X-Latin: caf\u{e9}\r\nTrailer: X-Sum\r\n\r\n\
                    3\r\nabc\r\n0\r\nX-Sum: 9\r\nX-More: 1\r\n\r\n
                    """)
            }
            let response = try await CurlTransport().sendKeeping(request(server.origin))
            #expect(response.value.interim.map(\.status) == [103, 100])
            #expect(response.value.interim[0].fields["link"] == "</a.css>; rel=preload")
            #expect(response.value.response.status == 207)
            #expect(response.value.response.fields.values(of: .setCookie) == ["a=1", "b=2"])
            #expect(response.value.response.fields["X-Latin"] == "caf\u{e9}")
            #expect(try await response.value.text() == "abc")
            #expect(await response.value.trailers() == ["X-Sum": "9", "X-More": "1"])
        }

        @Test("passes bytes of fields that are no UTF-8, both ways")
        func passesFieldBytes() async throws {
            let server = try RawServer { connection in
                var head = Data()
                while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try connection.read(1) }
                let tag = head.range(of: Data("If-None-Match: ".utf8)).map { head[$0.upperBound...].prefix(6) }
                try connection.write(
                    Data("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nETag: ".utf8) + (tag ?? Data("none".utf8))
                        + Data("\r\n\r\n".utf8))
            }
            let bytes: [UInt8] = [0x22, 0x61, 0xFC, 0xE9, 0x62, 0x22]
            var asking = request(server.origin)
            asking.request.fields[.ifNoneMatch] = FieldText.text(of: bytes)
            let response = try await CurlTransport().sendKeeping(asking)
            let tag = try #require(response.value.response.fields[.eTag])
            #expect(FieldText.bytes(of: tag) == bytes)
        }

        @Test("reads fields however they are spaced, folded and encoded")
        func oddLines() async throws {
            let server = try RawServer { connection in
                _ = try connection.readHead()
                let head =
                    "HTTP/1.1 404 Not  Here\r\nX-Spaced: \t a b \t\r\nX-Tight:c\r\nX-Empty:\r\nX-Colon: d:e: f\r\n"
                    + "X-Folded: g\r\n  h\r\n\ti\r\nContent-Length: 0\r\nX-Latin: caf"
                // A lone 0xE9 is no UTF-8.
                try connection.write(Data(head.utf8) + Data([0xE9]) + Data("\r\n\r\n".utf8))
            }
            let fields = try await CurlTransport().send(request(server.origin)).response.fields
            #expect(fields["X-Spaced"] == "a b")
            #expect(fields["X-Tight"] == "c")
            #expect(fields["X-Empty"] == "")
            #expect(fields["X-Colon"] == "d:e: f")
            #expect(fields["X-Folded"]?.filter { $0 != " " && $0 != "\t" } == "ghi")
            #expect(fields["X-Latin"].map { FieldText.readable($0) } == "caf\u{e9}")
        }

        @Test("follows no redirect")
        func redirects() async throws {
            let caddy = try CaddyServer.site
            let transport = transport(trusting: caddy)
            let response = try await transport.send(request(caddy.origin + "/moved"))
            #expect(response.response.status == 302)
            #expect(response.response.fields[.location] == "/hello")
        }

        @Test("speaks the version that is asked for", arguments: TransportRequest.Version.allCases)
        func versions(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let transport = transport(trusting: caddy)
            let expected: [TransportRequest.Version: (plain: String, secure: String)] = [
                .automatic: ("1.1", "2"), .http1: ("1.1", "1.1"), .http2: ("2", "2"),
                .http3: ("1.1", CurlTransport.features.contains("HTTP/3") ? "3" : "2"),
            ]
            let plain = try await transport.send(request(caddy.origin + "/hello", version: version))
            #expect(try await plain.text().hasPrefix("hello over HTTP/\(try #require(expected[version]).plain)"))
            #expect(await plain.metrics().httpVersion == expected[version]?.plain)
            let secure = try await transport.send(request(caddy.secureOrigin + "/hello", version: version))
            #expect(try await secure.text().hasPrefix("hello over HTTP/\(try #require(expected[version]).secure)"))
            #expect(await secure.metrics().httpVersion == expected[version]?.secure)
        }

        @Test("counts the bytes on the wire and the phases of the exchange")
        func metrics() async throws {
            let heard = Locked(0)
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
            let server = try RawServer { connection in
                while let head = try connection.readHead() {
                    let body = try connection.read(head.contains("Content-Length: 4") ? 4 : 0)
                    heard.withLock { $0 = head.utf8.count + body.count }
                    try connection.write(answer)
                }
            }
            let transport = CurlTransport()
            let first = try await transport.send(request(server.origin, method: .put, body: .data(Data("abcd".utf8))))
            #expect(try await first.text() == "hello")
            let fresh = await first.metrics()
            #expect(fresh.receivedByteCount == Int64(answer.utf8.count))
            #expect(fresh.sentByteCount == Int64(heard.withLock { $0 }))
            #expect(!fresh.isReusedConnection)
            #expect(fresh.remoteAddress == "127.0.0.1")
            #expect(fresh.connectMicroseconds > 0 && fresh.tlsMicroseconds == 0)
            #expect(fresh.connectMicroseconds <= fresh.requestSentMicroseconds)
            #expect(fresh.requestSentMicroseconds <= fresh.firstByteMicroseconds)
            #expect(fresh.firstByteMicroseconds <= fresh.totalMicroseconds)
            let second = try await transport.send(request(server.origin))
            _ = try await second.text()
            let reused = await second.metrics()
            #expect(reused.isReusedConnection && reused.connectMicroseconds == 0)
            #expect(reused.sentByteCount == Int64(heard.withLock { $0 }))
        }
    }
}

extension CurlTransport {
    /// A response together with the transport, which must live as long as its body.
    func sendKeeping(_ request: TransportRequest) async throws -> (value: TransportResponse, transport: CurlTransport) {
        (try await send(request), self)
    }
}
