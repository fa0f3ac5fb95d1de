import Foundation
import HTTPModel
import LocalProxy
import TestSupport
import Testing

@Suite("Tunnels through the proxy")
struct TunnelTests {
    @Test("a real client speaks TLS through it with a real server", .enabled(if: CaddyServer.isAvailable))
    func carriesTLS() async throws {
        let server = try CaddyServer(site: "respond /a hello\nrespond /b {http.request.proto}")
        let rig = try Rig { $0.connectPorts = [UInt16(server.securePort)] }
        let proxy = try #require(rig.proxy.url?.string)
        let (status, output) = try await run(
            "curl",
            [
                "-s", "--noproxy", "", "-x", proxy, "--cacert", server.authorityFile, "\(server.secureOrigin)/a",
                "\(server.secureOrigin)/b",
            ])
        #expect(status == 0 && output == "helloHTTP/2.0", "\(output)")
    }

    @Test("each side may end while the other goes on")
    func halfCloses() async throws {
        let server = try RawServer { connection in
            let count = connection.drain()
            try connection.write("\(count) bytes")
        }
        let rig = try Rig { $0.connectPorts = [UInt16(server.port)] }
        let client = try rig.client()
        // What is sent before the answer goes through as well.
        try await client.send("CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\nHost: x\r\n\r\nearly")
        #expect(try await client.response(toHead: true).status == 200)
        try await client.send(Data(count: 3_000_000))
        client.endSending()
        #expect(try await client.bytesUntilClosed() == "3000005 bytes".utf8.count)
    }

    @Test("only the allowed ports, and only hosts that can be had")
    func refuses() async throws {
        let rig = try Rig()
        let other = try await rig.client().exchange("CONNECT 127.0.0.1:25 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(other.status == 403 && other.text.contains("443"))
        let port = try freePort()
        let open = try Rig { $0.connectPorts = nil }
        let refused = try await open.client().exchange("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(refused.status == 502 && refused.fields["proxy-status"]?.contains("connection_refused") == true)
        let unknown = try await open.client().exchange("CONNECT nowhere.invalid:443 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(unknown.status == 502 && unknown.fields["proxy-status"]?.contains("dns_error") == true)
        for target in ["a", "a:0", "a:x", "a:70000", "http://a:443/", "a@b:443"] {
            let wrong = try await open.client().exchange("CONNECT \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(wrong.status == 400, "\(target)")
        }
    }

    @Test("a connection that goes over to another protocol is passed on")
    func upgrades() async throws {
        let server = try RawServer { connection in
            guard let head = try connection.readHead() else { return }
            let isAsked = head.contains("Upgrade: echo\r\n") && head.hasPrefix("GET /chat HTTP/1.1\r\n")
            try connection.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
            let bytes = try connection.read(4)
            try connection.write(isAsked ? bytes : Data())
        }
        let rig = try Rig(origin: server.origin)
        let client = try rig.client()
        try await client.send("GET /chat HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nabcd")
        let answer = try await client.response()
        #expect(answer.status == 101 && answer.fields["upgrade"] == "echo")
        #expect(try await client.bytesUntilClosed() == 4)
    }
}
