import Foundation
import HTTPModel
import HTTPServer
import Primitives
import TestSupport
import Testing

@Suite("A streamed answer")
struct StreamTests {
    /// Gives pieces until told otherwise, and remembers what was asked of it.
    private final class PieceSource: ByteSource {
        struct Broken: Error {}
        private let state: Locked<(left: Int, given: Int)>
        private let byteCount: Int
        private let fails: Bool
        private let whenCancelled: @Sendable () -> Void

        init(pieces: Int, byteCount: Int, fails: Bool = false, whenCancelled: @escaping @Sendable () -> Void = {}) {
            state = Locked((pieces, 0))
            self.byteCount = byteCount
            self.fails = fails
            self.whenCancelled = whenCancelled
        }

        var given: Int { state.withLock { $0.given } }

        func next() async throws -> Data? {
            let number = state.withLock { state -> Int? in
                guard state.left > 0 else { return nil }
                state.left -= 1
                state.given += 1
                return state.given
            }
            guard let number else {
                if fails { throw Broken() }
                return nil
            }
            return Data(repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
        }

        func cancel() { whenCancelled() }
    }

    @Test("arrives whole and in order, and the connection goes on")
    func whole() async throws {
        let running = try RunningServer([
            Route(.get, "/stream") { _ in
                ServerResponse(body: .stream(ByteStream(PieceSource(pieces: 300, byteCount: 10_007))))
            },
            Route(.get, "/empty") { _ in ServerResponse(body: .stream(.empty)) },
        ])
        let client = try running.client()
        for _ in 0..<3 {
            let response = try await client.exchange("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(response.fields["transfer-encoding"] == "chunked")
            let expected = (1...300).reduce(into: Data()) { data, number in
                data.append(Data(repeating: UInt8(truncatingIfNeeded: number), count: 10_007))
            }
            #expect(response.body == expected)
        }
        #expect(try await client.exchange("GET /empty HTTP/1.1\r\nHost: x\r\n\r\n").body.isEmpty)
        let log = await running.log(lines: 4)
        #expect(log[0].byteCount == 300 * 10_007)
        await running.server.stop()
    }

    @Test("is not read ahead of a client that does not read")
    func backPressure() async throws {
        let source = PieceSource(pieces: 10_000, byteCount: 100_000)
        let running = try RunningServer([
            Route(.get, "/stream") { _ in ServerResponse(body: .stream(ByteStream(source))) },
            Route(.get, "/now") { _ in text("now") },
        ])
        let client = try running.client()
        try await client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<20 { #expect(try await running.get("/now").text == "now") }
        // What the sockets' buffers take, but not the gigabyte.
        #expect(source.given < 1_000)
        client.close(withReset: true)
        await running.server.stop()
    }

    @Test("lets go of its source when the client is gone")
    func clientGone() async throws {
        await confirmation { cancelled in
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let once = Locked<CheckedContinuation<Void, Never>?>(continuation)
                let source = PieceSource(pieces: 1_000_000, byteCount: 100_000) {
                    guard let continuation = once.withLock({ $0.take() }) else { return }
                    cancelled()
                    continuation.resume()
                }
                Task {
                    let stream = Locked<ByteStream?>(ByteStream(source))
                    let running = try RunningServer([
                        Route(.get, "/stream") { _ in
                            ServerResponse(body: .stream(stream.withLock { $0.take() } ?? .empty))
                        }
                    ])
                    let client = try running.client()
                    try await client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try await client.headOnly()
                    client.close(withReset: true)
                    _ = await running.log(lines: 1)
                    await running.server.stop()
                }
            }
        }
    }

    @Test("whose source fails is cut off, so that the client knows")
    func failing() async throws {
        let running = try RunningServer([
            Route(.get, "/stream") { _ in
                ServerResponse(body: .stream(ByteStream(PieceSource(pieces: 2, byteCount: 1_000, fails: true))))
            }
        ])
        let client = try running.client()
        try await client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        let byteCount = try await client.bytesUntilClosed()
        #expect(byteCount > 0)
        #expect(byteCount < 2_500)
        let log = await running.log(lines: 1)
        #expect(log[0].failure != nil)
        #expect(try await running.get("/nothing").status == 404)
        await running.server.stop()
    }

    @Test("is cut off when the server is stopped and the grace is over")
    func stopped() async throws {
        struct Endless: ByteSource {
            func next() async throws -> Data? {
                try await Task.sleep(for: .seconds(3_600))
                return nil
            }
            func cancel() {}
        }
        let running = try RunningServer([
            Route(.get, "/stream") { _ in ServerResponse(body: .stream(ByteStream(Endless()))) }
        ])
        let client = try running.client()
        try await client.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await client.headOnly()
        await running.server.stop(grace: .zero)
        _ = try await client.bytesUntilClosed()
    }

    @Test("is left alone for HEAD")
    func head() async throws {
        let source = PieceSource(pieces: 10, byteCount: 10)
        let running = try RunningServer([
            Route(.get, "/stream") { _ in ServerResponse(body: .stream(ByteStream(source))) }
        ])
        #expect(try await running.get("/stream", method: "HEAD").status == 200)
        _ = await running.log(lines: 1)
        #expect(source.given == 0)
        await running.server.stop()
    }
}

extension RawClient {
    /// Reads a response's head and leaves its body.
    fileprivate func headOnly() async throws -> RawResponse { try await response(toHead: true) }
}
