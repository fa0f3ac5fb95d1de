import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Interception
import Primitives
import TestSupport
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs a test with an engine that has a site in its store and no origin any more.
func withStore(_ body: (StoredContent) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let store = try ContentStore(configuration: .init(directory: directory.path), timekeeper: SystemTimekeeper())
    let transport = CurlTransport()
    defer { transport.shutDown() }
    let engine = WatchedEngine(store: store, transport: transport)
    let server = try RawServer { connection in
        while let head = try connection.readHead() {
            let target = head.split(separator: " ")[1]
            let (status, fields, body) = StoredContent.site[String(target)] ?? ("404 Not Found", "", "")
            try connection.write(
                "HTTP/1.1 \(status)\r\nCache-Control: max-age=3600\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
        }
    }
    for target in StoredContent.site.keys {
        let request = HTTPRequest(url: HTTPURL(server.origin + target)!)
        var options = RequestOptions()
        options.followsRedirects = false
        for try await _ in try await engine.send(request, body: nil, options: options).body {}
    }
    server.stop()
    engine.forget()
    defer { Interceptor.uninstall(handler: engine) }
    try await body(StoredContent(origin: server.origin, engine: engine))
}

/// A site in the store, and sessions that reach it.
struct StoredContent {
    static let site: [String: (status: String, fields: String, body: String)] = [
        "/text": ("200 OK", "Content-Type: text/plain\r\nX-Other: 1\r\n", "text"),
        "/empty": ("200 OK", "", ""),
        "/small": ("200 OK", "", String(repeating: "s", count: 100_000)),
        "/long": ("200 OK", "", String(repeating: "l", count: 1_000_000)),
        "/moved": ("301 Moved Permanently", "Location: /text\r\n", ""),
        "/locked": ("401 Unauthorized", "WWW-Authenticate: Basic realm=\"r\"\r\n", "text"),
    ]

    let origin: String
    let engine: WatchedEngine

    func request(_ target: String) -> URLRequest { URLRequest(url: URL(string: origin + target)!) }

    /// A session that the engine answers, with and without a delegate.
    func session(onResponse: @escaping @Sendable (URLSessionTask) -> Void = { _ in }) -> WatchedSession {
        let configuration = URLSessionConfiguration.ephemeral
        Interceptor.install(in: configuration, handler: engine)
        return WatchedSession(configuration, origin: origin, onResponse: onResponse)
    }

    /// A session whose protocol class answers at once with what the site has at a target.
    func peer(at target: String) -> WatchedSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ImmediateProtocol.self]
        return WatchedSession(configuration, origin: origin) { _ in }
    }
}

/// The engine that ships, and what was asked of it.
final class WatchedEngine: RequestHandling {
    private let accelerator: Accelerator
    private let sent = Locked(0)
    private let records: Locked<Int>

    init(store: ContentStore, transport: CurlTransport) {
        let records = Locked(0)
        self.records = records
        accelerator = Accelerator(
            store: store, transport: transport, timekeeper: SystemTimekeeper(),
            onExchange: { _ in records.withLock { $0 += 1 } })
    }

    /// How often the longer way was taken.
    var sentCount: Int { sent.withLock { $0 } }
    /// How many exchanges have ended.
    var recordCount: Int { records.withLock { $0 } }

    func forget() { sent.withLock { $0 = 0 } }

    func send(
        _ request: HTTPRequest, body: RequestBody?, options: RequestOptions
    ) async throws -> AcceleratedResponse {
        sent.withLock { $0 += 1 }
        return try await accelerator.send(request, body: body, options: options)
    }

    func sendFromStore(_ request: HTTPRequest, options: RequestOptions) -> AcceleratedResponse? {
        accelerator.sendFromStore(request, options: options)
    }
}

/// What any protocol class costs and does: answers at once.
final class ImmediateProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)!
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("text".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}

/// A session that notes what an app is told of a task.
struct WatchedSession {
    typealias Audience = InterceptionSuite.StoredAnswers.Audience

    let session: URLSession
    let delegate: EventDelegate
    private let plain: URLSession
    private let origin: String

    init(
        _ configuration: URLSessionConfiguration, origin: String,
        onResponse: @escaping @Sendable (URLSessionTask) -> Void
    ) {
        delegate = EventDelegate(onResponse: onResponse)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        plain = URLSession(configuration: configuration)
        self.origin = origin
    }

    func hasDelegate(_ audience: Audience) -> Bool { [.delegate, .completionBesideDelegate].contains(audience) }

    /// What an app is told, in order.
    func events(of target: String, for audience: Audience) async throws -> [String] {
        try await load(target, "GET", audience).events
    }

    /// How many bytes an app gets.
    func bytes(of target: String, method: String = "GET", for audience: Audience) async throws -> Int {
        try await load(target, method, audience).byteCount
    }

    func onDelegateQueue(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            session.delegateQueue.addOperation {
                body()
                continuation.resume()
            }
        }
    }

    private func load(
        _ target: String, _ method: String, _ audience: Audience
    ) async throws -> (events: [String], byteCount: Int) {
        var request = URLRequest(url: URL(string: origin + target)!)
        request.httpMethod = method
        delegate.forget()
        switch audience {
        case .completion: return try await completion(request, plain)
        case .completionBesideDelegate: return try await completion(request, session)
        case .async:
            let (data, response) = try await plain.data(for: request)
            return ([Self.text(response) + ", \(data.count) bytes"], data.count)
        case .asyncWithDelegate:
            let (data, response) = try await plain.data(for: request, delegate: delegate)
            await withCheckedContinuation { continuation in
                plain.delegateQueue.addOperation { continuation.resume() }
            }
            return (delegate.dataEvents + [Self.text(response) + ", \(data.count) bytes"], data.count)
        case .delegate:
            let events = try await delegate.run(session.dataTask(with: request))
            return (events, delegate.byteCount)
        }
    }

    private func completion(
        _ request: URLRequest, _ session: URLSession
    ) async throws -> (events: [String], byteCount: Int) {
        let loaded = try await withCheckedThrowingContinuation { continuation in
            session.task(for: request) { continuation.resume(with: $0) }.resume()
        }
        let event = Self.text(loaded.response) + ", \(loaded.data.count) bytes"
        return (delegate.events + [event], loaded.data.count)
    }

    static func text(_ response: URLResponse) -> String {
        "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(response.url?.path ?? "")"
    }
}

/// A delegate that notes what it is told.
final class EventDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var events: [String] = []
        var byteCount = 0
        var ended: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())
    private let onResponse: @Sendable (URLSessionTask) -> Void

    init(onResponse: @escaping @Sendable (URLSessionTask) -> Void) { self.onResponse = onResponse }

    var events: [String] { state.withLock { $0.events } }
    var byteCount: Int { state.withLock { $0.byteCount } }
    /// The events that speak of data.
    var dataEvents: [String] { events.filter { $0.hasSuffix("bytes") } }

    func forget() { state.withLock { ($0.events, $0.byteCount) = ([], 0) } }

    /// Runs a task to its end.
    func run(_ task: URLSessionTask) async throws -> [String] {
        await withCheckedContinuation { continuation in
            state.withLock { $0.ended = continuation }
            task.resume()
        }
        return events
    }

    private func note(_ event: String) { state.withLock { $0.events.append(event) } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note(WatchedSession.text(response))
        onResponse(dataTask)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        state.withLock { $0.byteCount += data.count }
        note("\(data.count) bytes")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        note("redirect to \(request.url?.path ?? "")")
        completionHandler(request)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note(error.map { "failed with \(($0 as? URLError)?.code.rawValue ?? 0)" } ?? "completed")
        state.withLock { $0.ended.take() }?.resume()
    }
}
