import Dispatch
import Foundation
import HTTPModel
import LocalProxy
import TestSupport
import Testing

@Suite("What the proxy holds out against")
struct BoundsTests {
    @Test("more clients than allowed wait until one has gone")
    func boundsConnections() async throws {
        let rig = try Rig { $0.connectionsMax = 2 }
        let ask = "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n"
        let (first, second) = (try rig.client(), try rig.client())
        #expect(try await first.exchange(ask).status == 204)
        #expect(try await second.exchange(ask).status == 204)
        let third = try rig.client()
        try await third.send(ask)
        #expect(try await second.exchange(ask).status == 204)
        #expect(rig.records.count == 3)
        first.close()
        #expect(try await third.response().status == 204)
    }

    @Test("clients that break off in the middle leave nothing behind")
    func survivesAborts() async throws {
        let origin = try RawServer { connection in
            while try connection.readHead() != nil {
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 30000000\r\n\r\n")
                try connection.write(Data(count: 30_000_000))
            }
        }
        // With fewer places than clients, one that is not given back would be missed.
        let rig = try Rig(origin: origin.origin) { $0.connectionsMax = 20 }
        for round in 0..<10 {
            let clients = try (0..<10).map { _ in try rig.client() }
            for (index, client) in clients.enumerated() {
                try await client.send("GET /\(round)/\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                if index.isMultiple(of: 2) { _ = try await client.response(toHead: true) }
            }
            for client in clients { client.close(withReset: true) }
        }
        let answer = try await rig.client().exchange("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(answer.status == 204)
    }

    @Test("stopping lets the request under way end, takes no other, and returns")
    func stops() async throws {
        let gate = DispatchSemaphore(value: 0)
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let origin = try RawServer { connection in
            guard try connection.readHead() != nil else { return }
            ask.yield()
            gate.wait()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate")
        }
        let rig = try Rig(origin: origin.origin)
        let (idle, busy) = (try rig.client(), try rig.client())
        try await busy.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for await _ in asked { break }
        async let stopped: Void = rig.proxy.stop()
        #expect(try await idle.bytesUntilClosed() == 0)
        gate.signal()
        #expect(try await busy.response().text == "late")
        await stopped
        #expect(throws: SocketError.self) { try rig.client() }
        await rig.proxy.stop()
    }

    @Test("stopping gives up on what does not end within its grace")
    func stopsAfterGrace() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let origin = try RawServer { connection in
            guard try connection.readHead() != nil else { return }
            ask.yield()
            connection.drain()
        }
        let rig = try Rig(origin: origin.origin) { $0.stopGrace = .milliseconds(50) }
        let client = try rig.client()
        try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        for await _ in asked { break }
        await rig.proxy.stop()
        #expect(try await client.bytesUntilClosed() == 0)
        #expect(rig.records.map(\.isComplete) == [false])
    }

    @Test("an address that cannot be had is told, and a second start is refused")
    func tellsWhyItCannotStart() async throws {
        let rig = try Rig()
        #expect(throws: LocalProxyError.self) { try rig.proxy.start() }
        let error = #expect(throws: LocalProxyError.self) { try Rig { $0.port = UInt16(rig.port) } }
        #expect(error?.description.contains("cannot listen on 127.0.0.1 port \(rig.port)") == true)
        let unnamed = #expect(throws: LocalProxyError.self) { try Rig { $0.address = "localhost" } }
        #expect(unnamed?.description.contains("is not a numeric") == true)
    }

    private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first(
        where: FileManager.default.isExecutableFile)

    @Test("a real browser loads a page through it, the second time from the store", .enabled(if: browser != nil))
    func servesBrowser() async throws {
        let script = "document.body.textContent = 'script ran';"
        let origin = try ScriptedOrigin { request in
            request.target == "/s.js"
                ? .init(script, [.cacheControl: "max-age=600", .contentType: "text/javascript"])
                : .init(
                    "<!doctype html><body>page<script src=/s.js></script>",
                    [.cacheControl: "max-age=600", .contentType: "text/html"])
        }
        let rig = try Rig()
        for round in 0..<2 {
            let (_, document) = try await run(
                try #require(Self.browser),
                [
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                    "--disable-background-networking", "--disable-component-update",
                    "--user-data-dir=\(rig.directory.path("profile\(round)"))", "--proxy-server=127.0.0.1:\(rig.port)",
                    "--proxy-bypass-list=<-loopback>", "--dump-dom", "--virtual-time-budget=4000", origin.origin + "/",
                ])
            #expect(document.contains("script ran"), "\(document)")
        }
        #expect(origin.requests.filter { $0.target == "/" || $0.target == "/s.js" }.count == 2)
    }
}
