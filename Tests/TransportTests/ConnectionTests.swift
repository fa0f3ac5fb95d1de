import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("Connections")
    struct ConnectionTests {
        /// A server that keeps its connections and answers each request with its number on the connection.
        static func keeping(closingAfter max: Int = .max) throws -> RawServer {
            try RawServer { connection in
                var count = 0
                while count < max, try connection.readHead() != nil {
                    count += 1
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(count % 10)")
                }
            }
        }

        @Test("uses a connection again")
        func reuse() async throws {
            let server = try Self.keeping()
            let transport = CurlTransport()
            for index in 1...5 { #expect(try await transport.text(request(server.origin)) == "\(index)") }
            #expect(server.connectionCount == 1)
        }

        @Test("sends 50 requests at a time over one connection", arguments: [TransportRequest.Version.http2, .http3])
        func multiplexing(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let transport = transport(trusting: caddy)
            let ports = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await transport.text(request(caddy.secureOrigin + "/connection", version: version))
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(ports.count == 1)
        }

        @Test("opens no more connections to a host than allowed, and serves every request")
        func perHostLimit() async throws {
            let server = try Self.keeping()
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHostMax = 3
            let transport = CurlTransport(configuration: configuration)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 { group.addTask { _ = try await transport.text(request(server.origin)) } }
                try await group.waitForAll()
            }
            #expect(server.connectionCount <= 3)
        }

        @Test("connects anew after the network has changed and lets transfers under way end")
        func networkChange() async throws {
            let server = try RawServer { connection in
                while let head = try connection.readHead() {
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n")
                    if !head.hasPrefix("HEAD") { try connection.write(Data(count: 600_000)) }
                }
            }
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin))
            transport.networkDidChange()
            #expect(try await transport.send(request(server.origin, method: .head)).response.status == 200)
            #expect(server.connectionCount == 2)
            #expect(try await response.body.collect().count == 600_000)
            // Idle loops end; requests at the same moment are not lost.
            for _ in 0..<50 {
                async let asked = transport.send(request(server.origin, method: .head))
                transport.networkDidChange()
                #expect(try await asked.response.status == 200)
            }
        }

        @Test("repeats an idempotent request on a new connection when the old one is dead")
        func deadConnection() async throws {
            // The client sees the end of the connection only when it uses it: the server reads a second head and then closes.
            let heads = Locked<[String]>([])
            let server = try RawServer { connection in
                for isFirst in [true, false] {
                    guard let head = try connection.readHead() else { return }
                    heads.withLock { $0.append(String(head.prefix { $0 != " " })) }
                    if isFirst { try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
                }
            }
            let transport = CurlTransport()
            #expect(try await transport.text(request(server.origin)) == "ok")
            let put = request(server.origin, method: .put, body: .data(Data("again".utf8)))
            #expect(try await transport.text(put) == "ok")
            #expect(heads.withLock { $0 } == ["GET", "PUT", "PUT"])
            let post = request(server.origin, method: .post, body: .data(Data("once".utf8)))
            #expect(await code { _ = try await transport.text(post) } == .connectionLost)
            // The body of the request before it stands in front of the method.
            #expect(heads.withLock { $0 } == ["GET", "PUT", "PUT", "againPOST"])
        }

        @Test("falls back to HTTP/2 where HTTP/3 is asked for but not spoken")
        func fallback() async throws {
            let caddy = try CaddyServer(site: "respond \"{http.request.proto}\"", protocols: "h1 h2")
            let transport = transport(trusting: caddy)
            #expect(try await transport.text(request(caddy.secureOrigin, version: .http3)) == "HTTP/2.0")
        }

        @Test(
            "goes over to HTTP/3 once the origin has advertised it, with and without a state directory",
            .enabled(if: CurlTransport.features.isSuperset(of: ["HTTP/3", "Alt-Svc"])), arguments: [false, true])
        func alternativeService(hasStateDirectory: Bool) async throws {
            let caddy = try CaddyServer.site
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("larder-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            let transport = transport(trusting: caddy) { if hasStateDirectory { $0.stateDirectory = directory.path } }
            #expect(try await transport.text(request(caddy.secureOrigin + "/hello")) == "hello over HTTP/2.0")
            #expect(try await transport.text(request(caddy.secureOrigin + "/hello")) == "hello over HTTP/3.0")
            if hasStateDirectory {
                // Known from the first request on, without an orderly end of the one that learned it.
                let next = Transport.CurlTransport(configuration: transport.testConfiguration(caddy, directory))
                #expect(try await next.text(request(caddy.secureOrigin + "/hello")) == "hello over HTTP/3.0")
                try await next.end()
            }
            try await transport.end()
        }

        @Test(
            "remembers that an origin wants TLS (HSTS), also in the next process",
            .enabled(if: CurlTransport.features.contains("HSTS")), arguments: [false, true])
        func strictTransport(hasStateDirectory: Bool) async throws {
            let caddy = try CaddyServer.site
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("larder-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: directory) }
            let transport = transport(trusting: caddy) { if hasStateDirectory { $0.stateDirectory = directory.path } }
            // libcurl keeps the port, so this reaches the same place once it has been upgraded.
            let cleartext = "http://localhost:\(caddy.securePort)/hsts"
            #expect(try await transport.send(request(cleartext)).response.status == 400)
            #expect(try await transport.text(request(caddy.secureOrigin + "/hsts")) == "https")
            #expect(try await transport.text(request(cleartext)) == "https")
            if hasStateDirectory {
                let next = Transport.CurlTransport(configuration: transport.testConfiguration(caddy, directory))
                #expect(try await next.text(request(cleartext)) == "https")
                try await next.end()
            }
            try await transport.end()
        }
    }
}

extension CurlTransport {
    /// Ends it and waits, so that nothing is written any more.
    fileprivate func end() async throws {
        shutDown()
        try await waitUntilShutDown()
    }

    /// The configuration of a transport in the next process.
    fileprivate func testConfiguration(_ caddy: CaddyServer, _ directory: URL) -> Configuration {
        var configuration = Configuration()
        configuration.trust.authorityFile = caddy.authorityFile
        configuration.stateDirectory = directory.path
        return configuration
    }
}
