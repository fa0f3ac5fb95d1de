import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("Failures")
    struct FailureTests {
        /// A server that answers every request with some text and closes.
        static func saying(_ text: String) throws -> RawServer {
            try RawServer { connection in
                _ = try connection.readHead()
                try connection.write(text)
            }
        }

        @Test("tells a refused connection")
        func refused() async throws {
            let port = try freePort()
            let transport = CurlTransport()
            do {
                _ = try await transport.send(request("http://127.0.0.1:\(port)/secret?token=1"))
                Issue.record("a refused connection gave a response")
            } catch let error as TransportError {
                #expect(error.code == .connectionFailed)
                #expect(error.code.isUnreachable)
                #expect(error.description.hasPrefix("127.0.0.1: "))
                #expect(!error.description.contains("secret") && !error.description.contains("token"))
            }
        }

        @Test("tells a name that does not resolve")
        func unknownName() async throws {
            let transport = CurlTransport()
            // RFC 6761 keeps this name from resolving anywhere; libcurl answers without asking the network.
            let code = await code { _ = try await transport.send(request("http://nowhere.invalid/")) }
            #expect(code == .nameNotResolved)
        }

        @Test(
            "tells what is wrong with an answer",
            arguments: [
                ("", TransportError.Code.connectionLost),
                ("no http at all\r\n\r\n", .malformedResponse),
                ("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", .malformedResponse),
                ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .bodyTruncated),
                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .bodyTruncated),
                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab", .bodyTruncated),
                (
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 8\r\n\r\nnot gzip",
                    .contentDecodingFailed
                ),
                ("HTTP/1.1 200 OK\r\nContent-Length: pear\r\n\r\n", .malformedResponse),
            ])
        func badAnswers(answer: String, expected: TransportError.Code) async throws {
            let server = try Self.saying(answer)
            let transport = CurlTransport()
            #expect(await code { _ = try await transport.text(request(server.origin)) } == expected)
        }

        @Test("tells a body cut off by a reset")
        func reset() async throws {
            let mayReset = DispatchSemaphore(value: 0)
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
                mayReset.wait()
                connection.reset()
            }
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin))
            var iterator = response.body.makeAsyncIterator()
            #expect(try await iterator.next() == Data("abc".utf8))
            mayReset.signal()
            #expect(await code { _ = try await iterator.next() } == .bodyTruncated)
            #expect(await response.metrics().receivedByteCount > 3)
        }

        @Test("keeps the response of a server that answers before the request's body is through")
        func earlyAnswer() async throws {
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
                connection.drain()
            }
            let transport = CurlTransport()
            let body = RequestBody.stream(ByteStream(GeneratedSource(byteCount: 500_000_000)), byteCount: nil)
            let response = try await transport.send(request(server.origin, method: .post, body: body))
            #expect(response.response.status == 413)
            #expect(try await response.text() == "no")
        }

        /// A server that says something and then nothing, until the client goes.
        static func silent(after text: String) throws -> RawServer {
            try RawServer { connection in
                _ = try connection.readHead()
                try connection.write(text)
                connection.drain()
            }
        }

        @Test("gives up when no byte comes for the idle timeout, in the head and in the body")
        func idle() async throws {
            let transport = CurlTransport()
            let mute = try Self.silent(after: "")
            var asked = request(mute.origin)
            asked.idleTimeout = .milliseconds(50)
            #expect(await code { _ = try await transport.send(asked) } == .timedOut)
            let stalled = try Self.silent(after: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            asked.request.url = try #require(HTTPURL(stalled.origin))
            let response = try await transport.send(asked)
            #expect(await code { _ = try await response.body.collect() } == .timedOut)
        }

        @Test("does not count the time in which the consumer does not read as idle")
        func pausedIsNotIdle() async throws {
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 8000000\r\n\r\n")
                try connection.write(Data(count: 8_000_000))
            }
            let transport = CurlTransport()
            var asked = request(server.origin)
            asked.idleTimeout = .milliseconds(50)
            let response = try await transport.send(asked)
            // Another transfer times out meanwhile, so the loop has looked at the deadlines.
            let mute = try Self.silent(after: "")
            asked.request.url = try #require(HTTPURL(mute.origin))
            asked.idleTimeout = .milliseconds(200)
            #expect(await code { _ = try await transport.send(asked) } == .timedOut)
            #expect(try await response.body.collect().count == 8_000_000)
        }

        @Test("gives up when the whole exchange takes longer than it may")
        func total() async throws {
            // One byte after the other, so that it is never idle.
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 200 OK\r\n\r\n")
                while true { try connection.write(Data(count: 1)) }
            }
            let transport = CurlTransport()
            var asked = request(server.origin)
            asked.totalTimeout = .milliseconds(80)
            let response = try await transport.send(asked)
            #expect(await code { for try await _ in response.body {} } == .timedOut)
        }

        @Test("gives up when no connection stands in time, waiting for a free one included")
        func connecting() async throws {
            let server = try Self.silent(after: "")
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHostMax = 1
            let transport = CurlTransport(configuration: configuration)
            let first = Task { try await transport.send(request(server.origin)) }
            #expect(await eventually { server.connectionCount == 1 })
            var asked = request(server.origin)
            asked.connectTimeout = .milliseconds(60)
            #expect(await code { _ = try await transport.send(asked) } == .timedOut)
            #expect(server.connectionCount == 1)
            first.cancel()
            _ = await first.result
        }
    }
}
