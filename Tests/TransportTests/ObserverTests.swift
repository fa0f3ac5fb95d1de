import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

/// Remembers everything that it hears.
private final class RecordingObserver: TransferObserver {
    struct Heard {
        var arrivals: [TransferArrival] = []
        var answers: [TransferAnswer] = []
        var silenceCount = 0
    }

    private let state = Locked(Heard())
    var heard: Heard { state.withLock { $0 } }
    var byteCount: Int { heard.arrivals.reduce(0) { $0 + $1.byteCount } }

    func arrived(_ arrival: TransferArrival) { state.withLock { $0.arrivals.append(arrival) } }
    func answered(_ answer: TransferAnswer) { state.withLock { $0.answers.append(answer) } }
    func fellSilent() { state.withLock { $0.silenceCount += 1 } }
}

@Suite("What an observer hears", .timeLimit(.minutes(1)))
struct ObserverTests {
    private let observer = RecordingObserver()
    private let transport: CurlTransport

    init() {
        var configuration = CurlTransport.Configuration()
        configuration.observer = observer
        transport = CurlTransport(configuration: configuration)
    }

    private func send(
        _ url: String, body: RequestBody? = nil, _ change: (inout TransportRequest) -> Void = { _ in }
    ) async throws -> TransportResponse {
        let url = try #require(HTTPURL(url))
        var request = TransportRequest(HTTPRequest(method: body == nil ? .get : .post, url: url), body: body)
        change(&request)
        return try await transport.send(request)
    }

    @Test("every byte of heads and bodies, once, and the end of each")
    func bytes() async throws {
        let origin = try ScriptedOrigin { _ in .init(Data(count: 100_000)) }
        for count in 1...3 {
            let response = try await send(origin.origin)
            #expect(try await response.body.collect().count == 100_000)
            #expect(Int64(observer.byteCount) == Int64(count) * (await response.metrics().receivedByteCount))
            #expect(observer.heard.answers.count == count)
            #expect(observer.heard.silenceCount == count)
        }
        let heard = observer.heard
        #expect(heard.arrivals.allSatisfy { !$0.isRestrained })
        #expect(zip(heard.arrivals, heard.arrivals.dropFirst()).allSatisfy { $0.uptime <= $1.uptime })
        for answer in heard.answers {
            #expect(answer.wait > .zero && answer.otherByteCount == 0)
            // What answers on this machine may stand in for something far away.
            #expect(answer.way == .unknown)
        }
    }

    @Test("a coded body counts as it came, not as it is read", .enabled(if: CaddyServer.isAvailable))
    func coding() async throws {
        let caddy = try CaddyServer.site
        let response = try await send(caddy.origin + "/coded")
        let length = try await response.body.collect().count
        #expect(response.decodedFrom != nil)
        // What a decoder reads behind its last output is missing.
        let missing = await response.metrics().receivedByteCount - Int64(observer.byteCount)
        #expect(missing >= 0 && missing < 64)
        #expect(observer.byteCount < length)
    }

    @Test("bytes under a limit, and those that a reader kept waiting, are marked")
    func restraint() async throws {
        let origin = try ScriptedOrigin { _ in .init(Data(count: 3_000_000)) }
        let limited = try await send(origin.origin) { $0.receiveBytesPerSecondMax = 100_000_000 }
        _ = try await limited.body.collect()
        #expect(observer.heard.arrivals.allSatisfy { $0.isRestrained })
        let count = observer.heard.arrivals.count
        let slow = try await send(origin.origin)
        // Nothing is read until the buffer is full and the transfer stands still.
        var last = -1
        while last != observer.byteCount {
            last = observer.byteCount
            for _ in 0..<20_000 { await Task.yield() }
        }
        _ = try await slow.body.collect()
        let later = observer.heard.arrivals.dropFirst(count)
        #expect(later.first?.isRestrained == false)
        #expect(later.last?.isRestrained == true)
    }

    @Test("an upload says nothing of the round trip; a request that comes to nothing says nothing at all")
    func silence() async throws {
        let origin = try ScriptedOrigin { _ in .init("thanks") }
        _ = try await send(origin.origin, body: .data(Data(count: 10_000))).body.collect()
        #expect(observer.heard.answers.isEmpty)
        #expect(observer.heard.silenceCount == 1)
        origin.stop()
        await #expect(throws: TransportError.self) { try await send("http://127.0.0.1:1/") }
        #expect(observer.heard.answers.isEmpty)
        #expect(observer.heard.silenceCount == 1)
    }

    @Test("the end of the first byte's wait is that of an interim response; bytes of others meanwhile are told")
    func waiting() async throws {
        let gate = DispatchSemaphore(value: 0), release = DispatchSemaphore(value: 0)
        let server = try RawServer { connection in
            while let head = try connection.readHead() {
                if head.contains("/early") {
                    gate.signal()
                    release.wait()
                    try connection.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
                } else {
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n")
                    try connection.write(Data(count: 50_000))
                }
            }
        }
        async let early = send(server.origin + "/early")
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                gate.wait()
                continuation.resume()
            }
        }
        _ = try await send(server.origin + "/body").body.collect()
        release.signal()
        #expect(try await early.response.status == 204)
        for try await _ in try await early.body {}
        let answer = try #require(observer.heard.answers.last)
        #expect(answer.otherByteCount > 50_000)
        #expect(observer.heard.answers.count == 2)
    }
}
