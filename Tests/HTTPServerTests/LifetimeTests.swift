import Foundation
import HTTPModel
import HTTPServer
import Primitives
import TestSupport
import Testing

@Suite("A server's connections")
struct LifetimeTests {
    /// A handler that waits until the test opens it.
    private final class Latch: Sendable {
        private let state = Locked<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>], entered: Int)>(
            (false, [], 0))
        private let entries = LogBookOfInts()

        func pass() async {
            entries.add()
            await withCheckedContinuation { continuation in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiters.append(continuation) }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
            }
        }

        func open() {
            let waiters = state.withLock { state in
                state.isOpen = true
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        func entered(_ count: Int) async { await entries.reach(count) }
    }

    private func server(_ latch: Latch = Latch()) throws -> RunningServer {
        try RunningServer([
            Route(.get, "/now") { _ in text("now") },
            Route(.get, "/wait") { _ in
                await latch.pass()
                return text("waited")
            },
            Route(.get, "/cancellable") { _ in
                await latch.pass()
                try await Task.sleep(for: .seconds(3_600))
                return text("never")
            },
            Route(.put, "/body") { request in text("\(request.body.count)") },
        ])
    }

    @Test("that trickle a head are closed when its time is over")
    func slowHead() async throws {
        let running = try server()
        let silent = try running.client()
        let trickling = try running.client()
        try await trickling.send("GET /now HT")
        // The server has accepted both, as it answers one that came after them.
        #expect(try await running.get("/now").text == "now")
        await running.clock.waitForSleepers()
        running.clock.advance(by: .seconds(30))
        try await trickling.send("TP/1.1\r\nX-Slow: ")
        #expect(try await running.get("/now").text == "now")
        await running.clock.waitForSleepers()
        running.clock.advance(by: .seconds(31))
        #expect(try await trickling.bytesUntilClosed() == 0)
        #expect(try await silent.bytesUntilClosed() == 0)
        #expect(try await running.get("/now").text == "now")
        await running.server.stop()
    }

    @Test("that trickle a body are closed when its time is over")
    func slowBody() async throws {
        let running = try server()
        let client = try running.client()
        try await client.send("PUT /body HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n")
        #expect(try await client.response().status == 100)
        try await client.send("hello")
        for _ in 0..<2 {
            await running.clock.waitForSleepers()
            running.clock.advance(by: .seconds(61))
            #expect(try await running.get("/now").text == "now")
        }
        #expect(try await client.bytesUntilClosed() == 0)
        await running.server.stop()
    }

    @Test("survive a handler that takes longer than any of those times")
    func slowHandler() async throws {
        let latch = Latch()
        let running = try server(latch)
        let client = try running.client()
        try await client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        await latch.entered(1)
        await running.clock.waitForSleepers()
        running.clock.advance(by: .seconds(1_000))
        #expect(try await running.get("/now").text == "now")
        latch.open()
        #expect(try await client.response().text == "waited")
        await running.server.stop()
    }

    @Test("may come and go by the hundred, half open or reset")
    func manyAborted() async throws {
        let latch = Latch()
        let running = try server(latch)
        for index in 0..<200 {
            let client = try running.client()
            try await client.send(["GET /wa", "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n", ""][index % 3])
            client.close(withReset: index.isMultiple(of: 2))
        }
        latch.open()
        #expect(try await running.get("/now").text == "now")
        await running.server.stop()
    }

    @Test("beyond the limit wait until there is room")
    func connectionLimit() async throws {
        let running = try RunningServer([Route(.get, "/now") { _ in text("now") }]) { configuration in
            configuration.connectionsMax = 4
            configuration.threadCount = 1
        }
        let request = "GET /now HTTP/1.1\r\nHost: x\r\n\r\n"
        var clients: [RawClient] = []
        for _ in 0..<4 {
            let client = try running.client()
            #expect(try await client.exchange(request).text == "now")
            clients.append(client)
        }
        let waiting = try running.client()
        try await waiting.send(request)
        // The others are served meanwhile, and the one beyond the limit is not.
        for client in clients { #expect(try await client.exchange(request).text == "now") }
        #expect(await running.log(lines: 8).count == 8)
        clients.removeAll()
        #expect(try await waiting.response().text == "now")
        await running.server.stop()
    }

    @Test("end orderly when the server stops: what is under way is answered, new ones are refused")
    func gracefulStop() async throws {
        let latch = Latch()
        let running = try server(latch)
        let client = try running.client()
        try await client.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        await latch.entered(1)
        let port = running.port
        async let stopped: Void = running.server.stop()
        // The sweeper and the grace sleep on this clock: two sleepers mean that the server is stopping.
        await running.clock.waitForSleepers(2)
        #expect(throws: SocketError.self) { try RawClient(port: port) }
        latch.open()
        let response = try await client.response()
        #expect(response.text == "waited")
        #expect(response.fields["connection"] == "close")
        await stopped
        #expect(try await client.bytesUntilClosed() == 0)
        await running.server.stop()
    }

    @Test("are broken off when the grace is over, and their handlers cancelled")
    func graceOver() async throws {
        let latch = Latch()
        latch.open()
        let running = try server(latch)
        let client = try running.client()
        try await client.send("GET /cancellable HTTP/1.1\r\nHost: x\r\n\r\n")
        await latch.entered(1)
        async let stopped: Void = running.server.stop(grace: .seconds(5))
        await running.clock.waitForSleepers(2)
        running.clock.advance(by: .seconds(5))
        await stopped
        _ = try await client.bytesUntilClosed()
    }

    @Test("end when the server is let go of")
    func letGo() async throws {
        var running: RunningServer? = try server()
        let client = try #require(try running?.client())
        #expect(try await client.exchange("GET /now HTTP/1.1\r\nHost: x\r\n\r\n").text == "now")
        running = nil
        #expect(try await client.bytesUntilClosed() == 0)
    }

    @Test("cannot be had on an address that is taken, or is none")
    func taken() async throws {
        let running = try server()
        var configuration = HTTPServer.Configuration()
        configuration.port = running.server.port
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(configuration: configuration, routes: [], timekeeper: ManualTimekeeper())
        }
        configuration.address = "localhost"
        #expect(throws: HTTPServerError.self) {
            try HTTPServer(configuration: configuration, routes: [], timekeeper: ManualTimekeeper())
        }
        configuration.address = "::1"
        configuration.port = 0
        let second = try HTTPServer(configuration: configuration, routes: [], timekeeper: ManualTimekeeper())
        #expect(second.port != 0)
        await second.stop()
        await running.server.stop()
    }

    @Test("are logged by route, never by path, with an id that the answer carries")
    func log() async throws {
        let running = try RunningServer([
            Route(.get, "/apps/{app}") { _ in text("12345") }
        ])
        let first = try await running.get("/apps/secret-name?token=hunter2")
        let second = try await running.get("/unknown/hunter2")
        let lines = await running.log(lines: 2)
        #expect(lines.map(\.route) == ["/apps/{app}", "-"])
        #expect(lines.map(\.status) == [200, 404])
        #expect(lines.map(\.id) == [first.fields["larder-request"], second.fields["larder-request"]])
        #expect(lines[0].byteCount == 5)
        #expect(lines[0].remoteAddress == "127.0.0.1")
        #expect(lines[0].date == running.clock.now)
        #expect(!String(describing: lines).contains("hunter2"))
        await running.server.stop()
    }
}

/// Counts, and lets a test wait for a count.
private final class LogBookOfInts: Sendable {
    private let state = Locked<(count: Int, waiters: [(Int, CheckedContinuation<Void, Never>)])>((0, []))

    func add() {
        let ready = state.withLock { state in
            state.count += 1
            let ready = state.waiters.filter { $0.0 <= state.count }
            state.waiters.removeAll { $0.0 <= state.count }
            return ready.map(\.1)
        }
        for continuation in ready { continuation.resume() }
    }

    func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.count < count { state.waiters.append((count, continuation)) }
                return state.count >= count
            }
            if isThere { continuation.resume() }
        }
    }
}
