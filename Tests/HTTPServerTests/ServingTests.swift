import Foundation
import HTTPModel
import HTTPServer
import Primitives
import TestSupport
import Testing
import Wire

@Suite("The server answers")
struct ServingTests {
    private func echoServer() throws -> RunningServer {
        try RunningServer([
            Route(.get, "/hello/{name}") { request in text("hello \(request.parameter("name"))") },
            Route(.post, "/echo", bodyByteCountMax: 100_000) { request in
                ServerResponse(status: 201, body: .data(request.body))
            },
            Route(.get, "/nothing") { _ in ServerResponse(status: 204) },
        ])
    }

    @Test("with what a handler gives, and keeps the connection")
    func plain() async throws {
        let running = try echoServer()
        let client = try running.client()
        for name in ["one", "two", "three"] {
            let response = try await client.exchange("GET /hello/\(name) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.status == 200)
            #expect(response.text == "hello \(name)")
            #expect(response.fields["content-type"] == "text/plain")
            #expect(response.fields["connection"] == nil)
        }
        await running.server.stop()
    }

    @Test("with the body it was sent, in one piece or in chunks")
    func bodies() async throws {
        let running = try echoServer()
        let body = String(repeating: "0123456789", count: 9_000)
        let whole = try await running.send("POST", "/echo", body: body)
        #expect(whole.status == 201)
        #expect(whole.text == body)
        let chunked = try await running.client().exchange(
            "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
        )
        #expect(chunked.text == "hello world")
        await running.server.stop()
    }

    @Test("HEAD as GET, without the body")
    func head() async throws {
        let running = try echoServer()
        let client = try running.client()
        let head = try await client.exchange("HEAD /hello/you HTTP/1.1\r\nHost: x\r\n\r\n", toHead: true)
        #expect(head.status == 200)
        #expect(head.fields["content-length"] == "9")
        let next = try await client.exchange("GET /hello/you HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(next.text == "hello you")
        await running.server.stop()
    }

    @Test("204 without a body and without framing")
    func noContent() async throws {
        let running = try echoServer()
        let client = try running.client()
        let response = try await client.exchange("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(response.status == 204)
        #expect(response.fields["content-length"] == nil)
        #expect(response.fields["transfer-encoding"] == nil)
        #expect(try await client.exchange("GET /hello/b HTTP/1.1\r\nHost: x\r\n\r\n").text == "hello b")
        await running.server.stop()
    }
}
