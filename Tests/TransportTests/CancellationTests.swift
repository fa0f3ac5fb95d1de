import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("Cancellation and shutting down", .serialized)
    struct CancellationTests {
        /// A server that answers with a head and then never says another word; tells when a client is gone.
        static func endless(head: String = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nab") throws -> (
            RawServer, AsyncStream<Void>
        ) {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write(head)
                connection.drain()
                continuation.yield()
            }
            return (server, stream)
        }

        @Test("ends a request whose task is cancelled, and its connection")
        func taskCancel() async throws {
            let (server, gone) = try Self.endless(head: "")
            let transport = CurlTransport()
            let task = Task { try await transport.send(request(server.origin)) }
            #expect(await eventually { server.connectionCount == 1 })
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            var iterator = gone.makeAsyncIterator()
            await iterator.next()
        }

        @Test("does not start for a task that is cancelled already")
        func cancelledBefore() async throws {
            let (server, _) = try Self.endless()
            let transport = CurlTransport()
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try await transport.send(request(server.origin))
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(server.connectionCount == 0)
        }

        @Test("ends the transfer when the body is let go, and the metrics are there")
        func droppedBody() async throws {
            let (server, gone) = try Self.endless()
            let transport = CurlTransport()
            var response: TransportResponse? = try await transport.send(request(server.origin))
            let metrics = try #require(response?.metrics)
            response = nil
            var iterator = gone.makeAsyncIterator()
            await iterator.next()
            #expect(await metrics().httpVersion == "1.1")
        }

        @Test("ends the transfer when the reading task is cancelled")
        func cancelledRead() async throws {
            let (server, gone) = try Self.endless()
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin))
            let isReading = Locked(false)
            let task = Task {
                var iterator = response.body.makeAsyncIterator()
                while try await iterator.next() != nil { isReading.withLock { $0 = true } }
            }
            #expect(await eventually { isReading.withLock { $0 } })
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            var iterator = gone.makeAsyncIterator()
            await iterator.next()
        }

        @Test("lets go of the request's stream when the request is cancelled")
        func cancelledUpload() async throws {
            let (server, _) = try Self.endless(head: "")
            let transport = CurlTransport()
            let source = GeneratedSource(byteCount: .max)
            let isReleased = source.isCancelled
            let task = Task {
                try await transport.send(
                    request(server.origin, method: .post, body: .stream(ByteStream(source), byteCount: nil)))
            }
            #expect(await eventually { server.connectionCount == 1 })
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(await eventually { isReleased.withLock { $0 } })
        }

        @Test("survives storms of cancelled requests on every version", arguments: TransportRequest.Version.allCases)
        func storm(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let transport = transport(trusting: caddy)
            var completed = 0, cancelled = 0, failed: [any Error] = []
            for round in 0..<20 {
                await withTaskGroup(of: Result<String, any Error>.self) { group in
                    for index in 0..<64 {
                        group.addTask {
                            let task = Task {
                                try await transport.text(request(caddy.secureOrigin + "/hello", version: version))
                            }
                            if (index + round) % 5 < 2 {
                                for _ in 0..<(index * 7 % 40) { await Task.yield() }
                                task.cancel()
                            }
                            return await task.result
                        }
                    }
                    for await result in group {
                        switch result {
                        case .success: completed += 1
                        case .failure(let error) where error is CancellationError: cancelled += 1
                        case .failure(let error): failed.append(error)
                        }
                    }
                }
            }
            #expect(failed.isEmpty)
            #expect(completed + cancelled == 1_280)
            #expect(completed >= 700)
            // The transport is as good as new.
            #expect(
                try await transport.text(request(caddy.secureOrigin + "/hello", version: version)).hasPrefix("hello"))
        }

        @Test("ends transfers in flight when it is shut down, and refuses new ones")
        func shutDown() async throws {
            let (server, _) = try Self.endless()
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin))
            let waiting = Task { try await response.body.collect() }
            let (silent, _) = try Self.endless(head: "")
            let unanswered = Task { try await transport.send(request(silent.origin)) }
            #expect(await eventually { silent.connectionCount == 1 })
            transport.shutDown()
            try await transport.waitUntilShutDown()
            #expect(await code { _ = try await waiting.value } == .shutDown)
            #expect(await code { _ = try await unanswered.value } == .shutDown)
            #expect(await code { _ = try await transport.send(request(server.origin)) } == .shutDown)
            transport.networkDidChange()
            #expect(await code { _ = try await transport.send(request(server.origin)) } == .shutDown)
        }

        @Test("ends its transfers when it is let go")
        func released() async throws {
            let (server, gone) = try Self.endless()
            var transport: CurlTransport? = CurlTransport()
            let response = try await transport?.send(request(server.origin))
            transport = nil
            #expect(await code { _ = try await response?.body.collect() } == .shutDown)
            var iterator = gone.makeAsyncIterator()
            await iterator.next()
        }
    }
}
