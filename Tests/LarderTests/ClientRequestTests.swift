import Foundation
import HTTPModel
import Larder
import Primitives
import TestSupport
import Testing
import Transport
import Wire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Requests of the client")
struct ClientRequestTests {
    @Test("data comes from the network once and from the store after that")
    func data() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=60", .contentType: "text/plain"]) }
        var exchanges = rig.client.exchanges().makeAsyncIterator()
        for outcome in [ExchangeRecord.Outcome.miss, .cacheHit] {
            let (data, response) = try await rig.client.data(from: rig.url("/a"))
            #expect(data == Data("hello".utf8))
            #expect(response.statusCode == 200)
            #expect(response.mimeType == "text/plain")
            #expect(response.value(forHTTPHeaderField: "Cache-Status")?.hasPrefix("Larder") == true)
            #expect(await exchanges.next()?.outcome == outcome)
        }
        #expect(rig.origin.requests.count == 1)
        #expect(rig.log.isEmpty)
        await rig.client.shutDown()
    }

    @Test("fields and body of the request reach the origin")
    func sends() async throws {
        let rig = try ClientRig { request in .init(request.body, status: 201) }
        var request = try rig.request("/a?b=c", "PUT")
        request.setValue("yes", forHTTPHeaderField: "X-Mine")
        request.httpBodyStream = InputStream(data: Data(repeating: 7, count: 100_000))
        let (data, response) = try await rig.client.data(for: request)
        #expect(data == Data(repeating: 7, count: 100_000))
        #expect(response.statusCode == 201)
        let seen = try #require(rig.origin.requests.first)
        #expect(seen.method == "PUT")
        #expect(seen.target == "/a?b=c")
        #expect(seen.fields["X-Mine"] == "yes")
    }

    @Test("bodies are uploaded from memory, from a file and from a stream")
    func uploads() async throws {
        let rig = try ClientRig { request in .init(request.body) }
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let request = try rig.request("/up", "POST")
        #expect(try await rig.client.upload(for: request, from: body).0 == body)
        let file = rig.file("upload")
        try body.write(to: file)
        #expect(try await rig.client.upload(for: request, fromFile: file).0 == body)
        #expect(try await rig.client.upload(for: request, from: ByteStream(body), byteCount: 300_000).0 == body)
        #expect(try await rig.client.upload(for: request, from: ByteStream(body), byteCount: nil).0 == body)
        #expect(rig.origin.requests.count == 4)
    }

    @Test("a file that is not there is told before anything is sent")
    func missingUpload() async throws {
        let rig = try ClientRig()
        let error = await #expect(throws: URLError.self) {
            try await rig.client.upload(for: rig.request("/up", "POST"), fromFile: rig.file("nothing"))
        }
        #expect(error?.code == .fileDoesNotExist)
        #expect(rig.origin.requests.isEmpty)
    }

    @Test("a body streams at the caller's pace")
    func streams() async throws {
        let body = Data(repeating: 1, count: 2_000_000)
        let rig = try ClientRig { _ in .init(body, [.cacheControl: "no-store"]) }
        let (stream, response) = try await rig.client.stream(for: rig.request("/a"))
        #expect(response.expectedContentLength == 2_000_000)
        var count = 0
        for try await chunk in stream { count += chunk.count }
        #expect(count == 2_000_000)
    }

    @Test("redirects are followed, and the response names the URL that answered")
    func redirects() async throws {
        let rig = try ClientRig { request in
            request.target == "/start" ? .init("", status: 302, [.location: "/end"]) : .init("end")
        }
        let (data, response) = try await rig.client.data(from: rig.url("/start"))
        #expect(data == Data("end".utf8))
        #expect(response.url?.path == "/end")
    }

    @Test("an origin that refuses connections is a URLError with the transport's own beneath")
    func refused() async throws {
        let rig = try ClientRig()
        let url = try #require(URL(string: "http://127.0.0.1:\(freePort())/a"))
        let error = await #expect(throws: URLError.self) { try await rig.client.data(from: url) }
        #expect(error?.code == .cannotConnectToHost)
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? TransportError)?.code == .connectionFailed)
        #expect(error?.failingURL == url)
    }

    @Test("a URL that is none of http's is a URLError")
    func unsupported() async throws {
        let rig = try ClientRig()
        let error = await #expect(throws: URLError.self) { try await rig.client.data(from: rig.file("x")) }
        #expect(error?.code == .unsupportedURL)
    }

    @Test("cache data only, and none there, is an error as Foundation has it")
    func onlyCache() async throws {
        let rig = try ClientRig { _ in .init("hello", [.cacheControl: "max-age=0"]) }
        var request = try rig.request("/a")
        request.cachePolicy = .returnCacheDataDontLoad
        let error = await #expect(throws: URLError.self) { try await rig.client.data(for: request) }
        #expect(error?.code == .resourceUnavailable)
        #expect(rig.origin.requests.isEmpty)
        _ = try await rig.client.data(from: rig.url("/a"))
        #expect(try await rig.client.data(for: request).0 == Data("hello".utf8))
        #expect(rig.origin.requests.count == 1)
    }

    @Test("cancelling returns with CancellationError while the origin is silent")
    func cancels() async throws {
        let asked = AsyncStream.makeStream(of: Void.self)
        let silence = DispatchSemaphore(value: 0)
        let rig = try ClientRig { _ in
            asked.continuation.yield()
            silence.wait()
            return .init("late")
        }
        let task = Task { try await rig.client.data(from: rig.url("/a")) }
        for await _ in asked.stream { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        silence.signal()
    }

    @Test("explain names what would be done and sends nothing")
    func explains() throws {
        let rig = try ClientRig()
        let url = try #require(HTTPURL(rig.origin.origin + "/a"))
        #expect(String(describing: rig.client.explain(HTTPRequest(url: url))).contains("uriMiss"))
        #expect(rig.origin.requests.isEmpty)
    }
}
