import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("Streaming", .serialized)
    struct StreamingTests {
        static let versions: [TransportRequest.Version] = [.http1, .http2, .http3]

        @Test("receives 100 MB in bounded memory, pausing while nobody reads", arguments: versions)
        func largeDownload(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let size = 100_000_000
            let file = caddy.root.appendingPathComponent("large.bin")
            #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
            try FileHandle(forWritingTo: file).truncate(atOffset: UInt64(size))
            let transport = transport(trusting: caddy)
            let before = residentKilobytes()
            let response = try await transport.send(request(caddy.secureOrigin + "/large.bin", version: version))
            var iterator = response.body.makeAsyncIterator()
            var received = try await iterator.next()?.count ?? 0
            // While this consumer does not read, another exchange over the same connection goes through.
            #expect(
                try await transport.text(request(caddy.secureOrigin + "/hello", version: version)).hasPrefix("hello"))
            let paused = residentKilobytes()
            while let chunk = try await iterator.next() { received += chunk.count }
            #expect(received == size)
            #expect(await response.metrics().receivedByteCount > Int64(size))
            #expect(paused - before < 32 << 10)
            #expect(residentKilobytes() - before < 48 << 10)
        }

        /// A server that counts the body of one request and answers with the count.
        static func counter() throws -> RawServer {
            try RawServer { connection in
                guard let head = try connection.readHead() else { return }
                var count = 0
                if let length = head.firstMatch(of: /Content-Length: (\d+)/).flatMap({ Int($0.1) }) {
                    var remaining = length
                    while remaining > 0 {
                        let piece = try connection.read(min(remaining, 1 << 20)).count
                        if piece == 0 { return }
                        remaining -= piece
                        count += piece
                    }
                } else {
                    // Chunked: sizes in hexadecimal on lines of their own.
                    while true {
                        var line = ""
                        while !line.hasSuffix("\r\n") {
                            line += String(decoding: try connection.read(1), as: UTF8.self)
                        }
                        let size = Int(line.dropLast(1), radix: 16) ?? 0
                        count += size == 0 ? 0 : try connection.read(size).count
                        _ = try connection.read(2)
                        if size == 0 { break }
                    }
                }
                try connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(count)")
            }
        }

        @Test("sends 20 MB from a stream of known and of unknown length", arguments: [true, false])
        func streamUpload(isLengthKnown: Bool) async throws {
            let server = try Self.counter()
            let size = 20_000_000
            let body = RequestBody.stream(
                ByteStream(GeneratedSource(byteCount: size)), byteCount: isLengthKnown ? Int64(size) : nil)
            let transport = CurlTransport()
            let response = try await transport.send(request(server.origin, method: .put, body: body))
            #expect(try await response.text() == "\(size)")
            #expect(await response.metrics().sentByteCount >= Int64(size))
        }

        @Test("sends a stream over every version of HTTP", arguments: versions)
        func uploadVersions(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let size = 300_000
            let source = GeneratedSource(byteCount: size, chunkSize: 1_000)
            let transport = transport(trusting: caddy)
            let response = try await transport.send(
                request(
                    caddy.secureOrigin + "/echo", method: .post, body: .stream(ByteStream(source), byteCount: nil),
                    version: version))
            #expect(try await response.body.collect().count == "POST ".utf8.count + size)
        }

        @Test("sends a file from the disk")
        func fileUpload() async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("larder-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(repeating: 1, count: 3_000_000).write(to: file)
            let server = try Self.counter()
            let transport = CurlTransport()
            let sent = try await transport.text(request(server.origin, method: .post, body: .file(path: file.path)))
            #expect(sent == "3000000")
            let missing = request(server.origin, method: .post, body: .file(path: file.path + ".not"))
            #expect(await code { _ = try await transport.send(missing) } == .requestBodyFailed)
        }

        @Test("fails when a stream breaks, is too short or too long")
        func brokenUploads() async throws {
            struct Broken: ByteSource {
                func next() async throws -> Data? { throw CocoaError(.fileReadUnknown) }
                func cancel() {}
            }
            let server = try Self.counter()
            let transport = CurlTransport()
            let bodies: [RequestBody] = [
                .stream(ByteStream(Broken()), byteCount: 10),
                .stream(ByteStream(GeneratedSource(byteCount: 9)), byteCount: 10),
                .stream(ByteStream(GeneratedSource(byteCount: 11)), byteCount: 10),
            ]
            for body in bodies {
                let code = await code {
                    _ = try await transport.text(request(server.origin, method: .post, body: body))
                }
                #expect(code == .requestBodyFailed)
            }
        }

        @Test("asks the stream for more only as the network takes it")
        func uploadBackPressure() async throws {
            let heard = DispatchSemaphore(value: 0)
            let server = try RawServer { connection in
                _ = try connection.readHead()
                heard.wait()
                _ = try connection.read(64 << 20)
                try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
            }
            let source = CountingSource(byteCount: 64 << 20)
            let transport = CurlTransport()
            let body = RequestBody.stream(ByteStream(source), byteCount: 64 << 20)
            async let response = transport.send(request(server.origin, method: .put, body: body))
            // It stands still once the sockets are full, far from the end.
            var last = -1
            while source.taken.withLock({ $0 }) != last || last == 0 {
                last = source.taken.withLock { $0 }
                for _ in 0..<20_000 { await Task.yield() }
            }
            #expect(last < 48 << 20)
            heard.signal()
            #expect(try await response.response.status == 204)
        }

        // More than one reading's worth: the stock libcurl looks at the rate between readings only.
        @Test("limits the rate of receiving")
        func rateLimit() async throws {
            let server = try RawServer { connection in
                _ = try connection.readHead()
                try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6000000\r\n\r\n")
                try connection.write(Data(count: 6_000_000))
            }
            let transport = CurlTransport()
            var limited = request(server.origin)
            limited.receiveBytesPerSecondMax = 6_000_000
            let response = try await transport.send(limited)
            #expect(try await response.body.collect().count == 6_000_000)
            #expect(await response.metrics().totalMicroseconds > 300_000)
        }
    }
}

/// Like ``GeneratedSource``, and tells how much was taken.
final class CountingSource: ByteSource {
    let taken = Locked(0)
    private let byteCount: Int
    init(byteCount: Int) { self.byteCount = byteCount }
    func next() async throws -> Data? {
        let count = taken.withLock { taken in
            let count = min(byteCount - taken, 256 << 10)
            taken += count
            return count
        }
        return count == 0 ? nil : Data(count: count)
    }
    func cancel() {}
}
