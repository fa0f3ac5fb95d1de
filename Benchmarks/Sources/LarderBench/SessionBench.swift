import BareCurl
import Foundation
import FoundationNetworking
import HTTPModel
import Larder
import Primitives
import Transport

/// Hits through URLSession, and what the engine adds to a miss.
enum SessionBench {
    static func run(_ stage: Stage) async throws {
        stage.report.begin("Hits through URLSession")
        try await sessions(stage)
    }

    static func runMisses(_ stage: Stage) async throws {
        stage.report.begin("Misses")
        try await misses(stage)
    }

    /// The same bytes through URLSession: from the SDK, and from a protocol class that has them at hand.
    private static func sessions(_ stage: Stage) async throws {
        let url = URL(string: "http://127.0.0.1:\(stage.origin.port)/4096/store/2")!
        let configuration = URLSessionConfiguration.default
        stage.larder.intercept(configuration)
        let intercepted = URLSession(configuration: configuration)
        let immediate = session(of: ImmediateProtocol.self)
        let headless = session(of: HeadlessProtocol.self)
        let native = URLSession(configuration: .default)
        var contest = stage.contest("URLSession data task, 4 KiB, one at a time", operations: 100)
        contest.add("a URLProtocol that answers at once with the same head and body") { try await get(url, immediate) }
        contest.add("the same with no fields in the head") { try await get(url, headless) }
        contest.add("Larder's hit") { try await get(url, intercepted) }
        contest.add("native URLSession to the loopback origin") { try await get(url, native) }
        let rows = try await contest.report(to: stage.report)
        stage.report.bar(
            "URLSession hit over a URLProtocol that answers at once", .atMost, 1.15, "x",
            measured: rows[2].median / rows[0].median)
    }

    private static func session(of type: URLProtocol.Type) -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.protocolClasses = [type]
        return URLSession(configuration: configuration)
    }

    private static func get(_ url: URL, _ session: URLSession) async throws {
        let count: Int = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, _ in continuation.resume(returning: data?.count ?? -1) }.resume()
        }
        precondition(count == 4_096)
    }

    /// A response that may not be stored: the transport alone, and through the engine.
    private static func misses(_ stage: Stage) async throws {
        let larder = stage.larder, port = stage.origin.port
        let transport = CurlTransport()
        let url = HTTPURL("http://127.0.0.1:\(port)/4096/never")!
        let stored = Locked(0)
        var contest = stage.contest("Miss, 4 KiB, from the loopback origin, one at a time", operations: 50)
        let bare = bare_curl_open()
        defer { bare_curl_close(bare) }
        contest.add("bare libcurl (`curl_easy_perform`, kept handle)") {
            precondition(bare_curl_get(bare, url.string) == 4_096)
        }
        contest.add("the transport alone") {
            let response = try await transport.send(TransportRequest(HTTPRequest(url: url)))
            for try await _ in response.body {}
        }
        contest.add("Larder, not stored") { for try await _ in try await larder.send(HTTPRequest(url: url)).body {} }
        contest.add("Larder, stored") {
            let number = stored.withLock { value in
                value += 1
                return value
            }
            let url = HTTPURL("http://127.0.0.1:\(port)/4096/store/miss/\(number)")!
            for try await _ in try await larder.send(HTTPRequest(url: url)).body {}
        }
        let rows = try await contest.report(to: stage.report)
        stage.report.bar(
            "what the engine adds to a miss", .atMost, 100, " µs", measured: rows[2].median - rows[1].median)
        stage.report.bar(
            "what a miss costs beyond bare libcurl", .atMost, 100, " µs", measured: rows[2].median - rows[0].median)
        transport.shutDown()
    }
}

/// What a URLProtocol costs by itself: answers at once with the head and the 4 KiB that a hit has.
class ImmediateProtocol: URLProtocol {
    private static let body = Data(repeating: 0x61, count: 4_096)

    class var fields: [String: String] {
        [
            "Content-Type": "text/plain", "Cache-Control": "max-age=86400", "Content-Length": "4096", "Age": "1",
            "Cache-Status": "Larder; hit; ttl=86399",
        ]
    }

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let response = HTTPURLResponse(
            url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: Self.fields)!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Self.body)
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

/// The same with a head that says nothing.
final class HeadlessProtocol: ImmediateProtocol {
    override class var fields: [String: String] { [:] }
}
