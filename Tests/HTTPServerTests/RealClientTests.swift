import Foundation
import HTTPModel
import HTTPServer
import Primitives
import TestSupport
import Testing
import Transport

@Suite("With a real client, the server")
struct RealClientTests {
    @Test("refuses a long upload, with an answer that the client gets to read where it can be")
    func refusedUpload() async throws {
        let running = try RunningServer([
            Route(.post, "/upload", bodyByteCountMax: 1_000) { _ in text("taken") }
        ])
        let transport = CurlTransport()
        let url = try #require(HTTPURL("http://127.0.0.1:\(running.port)/upload"))
        func post(_ byteCount: Int) async throws -> Int {
            let request = TransportRequest(
                HTTPRequest(method: .post, url: url), body: .data(Data(count: byteCount)))
            let response = try await transport.send(request)
            _ = try await response.body.collect(upTo: 10_000)
            return response.response.status
        }
        // Read to the end and dropped, so that the answer always arrives.
        #expect(try await post(2_000) == 413)
        #expect(try await post(900_000) == 413)
        // Too long to read: answered and closed. What is still on its way may reset the connection before the answer is read.
        do {
            #expect(try await post(40_000_000) == 413)
        } catch let error as TransportError {
            #expect(error.code == .connectionLost)
        }
        #expect(try await post(2_000) == 413, "the server goes on")
        transport.shutDown()
        await running.server.stop()
    }

    @Test("answers many requests at a time, each with its own answer")
    func concurrent() async throws {
        let running = try RunningServer([
            Route(.post, "/echo/{number}") { request in
                await Task.yield()
                return text("\(request.parameter("number")):\(request.body.count)")
            }
        ])
        let transport = CurlTransport()
        let port = running.port
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    let url = try #require(HTTPURL("http://127.0.0.1:\(port)/echo/\(number)"))
                    let request = TransportRequest(
                        HTTPRequest(method: .post, url: url), body: .data(Data(count: number * 20)))
                    let response = try await transport.send(request)
                    let body = try await response.body.collect(upTo: 1_000)
                    #expect(String(decoding: body, as: UTF8.self) == "\(number):\(number * 20)")
                }
            }
            try await group.waitForAll()
        }
        #expect(await running.log(lines: 500).count == 500)
        transport.shutDown()
        await running.server.stop()
    }

    @Test("sends a large file whole")
    func largeFile() async throws {
        let directory = try TemporaryDirectory()
        let file = URL(filePath: directory.path("large.bin"))
        let piece = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        for _ in 0..<1_000 { try handle.write(contentsOf: piece) }
        try handle.close()
        let running = try RunningServer([StaticFiles(directory: directory.path).route()])
        let transport = CurlTransport()
        let url = try #require(HTTPURL("http://127.0.0.1:\(running.port)/large.bin"))
        let response = try await transport.send(TransportRequest(HTTPRequest(url: url)))
        var offset = 0
        var isSame = true
        for try await chunk in response.body {
            let start = offset % piece.count
            let expected = (piece + piece)[start..<min(start + chunk.count, 2 * piece.count)]
            if chunk.prefix(expected.count) != expected { isSame = false }
            offset += chunk.count
        }
        #expect(isSame)
        #expect(offset == 65_536_000)
        transport.shutDown()
        await running.server.stop()
    }
}
