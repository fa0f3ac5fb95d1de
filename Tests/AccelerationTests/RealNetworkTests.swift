import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("On the real network")
struct RealNetworkTests {
    /// The engine as it ships, on a store in a directory of its own.
    private final class Real: Sendable {
        let directory: TemporaryDirectory
        let store: ContentStore
        let transport = CurlTransport()
        let gate = ActivityGate()
        let accelerator: Accelerator

        init() throws {
            directory = try TemporaryDirectory()
            let time = SystemTimekeeper()
            store = try ContentStore(configuration: .init(directory: directory.path("store")), timekeeper: time)
            accelerator = Accelerator(store: store, transport: transport, activity: gate, timekeeper: time)
        }

        deinit { transport.shutDown() }

        func get(_ url: String, _ fields: HTTPFields = [:]) async throws -> Got {
            let request = HTTPRequest(url: try #require(HTTPURL(url)), fields: fields)
            return try await Got(accelerator.send(request))
        }
    }

    @Test("a body that comes compressed is stored and served decoded")
    func storesDecoded() async throws {
        // "hello hello hello hello" by gzip.
        let packed = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAJwHjUT2NFwAAAA=="))
        let origin = try ScriptedOrigin { request in
            #expect(request.fields[.acceptEncoding]?.contains("gzip") == true)
            return .init(
                packed, [.contentEncoding: "gzip", .cacheControl: "max-age=60", .vary: "Accept-Encoding"])
        }
        let real = try Real()
        for outcome in [ExchangeRecord.Outcome.miss, .cacheHit] {
            let got = try await real.get(origin.origin + "/a")
            #expect(got.text == "hello hello hello hello")
            #expect(got.response.fields[.contentEncoding] == nil)
            #expect(got.record.outcome == outcome)
            #expect((got.record.wireByteCount > 0) == (outcome == .miss))
        }
        #expect(origin.requests.count == 1)
    }

    @Test("many concurrent requests for one large body are one request for the origin")
    func sharesLargeBody() async throws {
        let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let origin = try ScriptedOrigin { _ in .init(body, [.cacheControl: "max-age=60"]) }
        let real = try Real()
        let url = try #require(HTTPURL(origin.origin + "/large"))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await real.accelerator.send(HTTPRequest(url: url)).body.collect() == body
                }
            }
            for try await isWhole in group { #expect(isWhole) }
        }
        #expect(origin.requests.count == 1)
        #expect(try real.store.entries(for: url).map(\.bodyByteCount) == [3_000_000])
        #expect(!real.gate.isBusy)
    }

    @Test("a validation by 304 moves no body and keeps its connection")
    func validates() async throws {
        let origin = try ScriptedOrigin { request in
            request.fields.contains(.ifNoneMatch)
                ? .init("", status: 304, [.eTag: "\"1\""])
                : .init(String(repeating: "x", count: 50_000), [.cacheControl: "no-cache", .eTag: "\"1\""])
        }
        let real = try Real()
        _ = try await real.get(origin.origin + "/a")
        let got = try await real.get(origin.origin + "/a")
        #expect(got.text.count == 50_000)
        #expect(got.record.outcome == .revalidated)
        #expect(got.record.wireByteCount > 0)
        #expect(got.record.wireByteCount < 2_000)
    }

    @Test("a body cut short reaches the caller as an error and is not stored")
    func cutShort() async throws {
        let origin = try ScriptedOrigin { _ in
            .raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 1000\r\n\r\nshort")
        }
        let real = try Real()
        await #expect(throws: TransportError.self) { try await real.get(origin.origin + "/a") }
        #expect(try real.store.entries(for: #require(HTTPURL(origin.origin + "/a"))).isEmpty)
        #expect(!real.gate.isBusy)
    }

    @Test("what was stored outlives the origin")
    func outlivesOrigin() async throws {
        let origin = try ScriptedOrigin { _ in .init("kept", [.cacheControl: "max-age=0", .eTag: "\"1\""]) }
        let real = try Real()
        _ = try await real.get(origin.origin + "/a")
        origin.stop()
        let got = try await real.get(origin.origin + "/a")
        #expect(got.text == "kept")
        #expect(got.record.outcome == .staleOnError)
        #expect(got.record.wireByteCount == 0)
        await #expect(throws: TransportError.self) { try await real.get(origin.origin + "/never-seen") }
    }

    @Test("cancelling at random moments hangs nothing and leaves a store that serves only whole bodies")
    func randomCancellation() async throws {
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let origin = try ScriptedOrigin { _ in .init(body, [.cacheControl: "max-age=60"]) }
        let real = try Real()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<120 {
                group.addTask {
                    guard let url = HTTPURL("\(origin.origin)/\(index % 12)") else { return }
                    let task = Task { try await real.accelerator.send(HTTPRequest(url: url)).body.collect() }
                    for _ in 0..<(index * 7 % 50) { await Task.yield() }
                    if index % 2 == 0 { task.cancel() }
                    switch await task.result {
                    case .success(let data): #expect(data == body)
                    case .failure(let error): #expect(error is CancellationError)
                    }
                }
            }
        }
        await eventually("everything has ended") { !real.gate.isBusy }
        #expect(try real.store.verify(repair: false).problems.isEmpty)
    }
}
