import Acceleration
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import Interception

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A real server that says what it was sent: method, target and body.
private func echoServer() throws -> RawServer {
    try RawServer { connection in
        while let head = try connection.readHead() {
            let lines = head.split(separator: "\r\n")
            let fields = lines.dropFirst().map { $0.lowercased() }
            if fields.contains(where: { $0.hasPrefix("expect:") }) {
                try connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            }
            var body = Data()
            if let length = fields.first(where: { $0.hasPrefix("content-length:") }) {
                body = try connection.read(Int(length.split(separator: ":")[1].trimmingCharacters(in: .whitespaces))!)
            } else if fields.contains(where: { $0.hasPrefix("transfer-encoding:") }) {
                while true {
                    let size = try connection.readLine()
                    let chunk = try connection.read(Int(size, radix: 16)!)
                    _ = try connection.readLine()
                    if chunk.isEmpty { break }
                    body.append(chunk)
                }
            }
            let target = lines[0].split(separator: " ").prefix(2).joined(separator: " ")
            if target.hasSuffix("/moved") {
                try connection.write("HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n")
                continue
            }
            let answer = "native \(target) " + String(decoding: body, as: UTF8.self)
            try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
        }
    }
}

extension RawConnection {
    fileprivate func readLine() throws -> String {
        var line = Data()
        while !line.hasSuffix("\r\n") {
            let byte = try read(1)
            if byte.isEmpty { break }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

extension Data {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Data(text.utf8) }
}

/// A delegate of a download and of a streamed upload.
private final class TransferDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
    private let ended = Locked<CheckedContinuation<Void, any Error>?>(nil)
    private let received = Locked(Data())
    let stream: @Sendable () -> InputStream?

    init(stream: @escaping @Sendable () -> InputStream? = { nil }) { self.stream = stream }

    var text: String { received.withLock { String(decoding: $0, as: UTF8.self) } }

    func run(_ task: URLSessionTask) async throws {
        try await withCheckedThrowingContinuation { continuation in
            ended.withLock { $0 = continuation }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let data = (try? Data(contentsOf: location)) ?? Data("unreadable".utf8)
        received.withLock { $0.append(data) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        received.withLock { $0.append(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) { completionHandler(stream()) }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let continuation = ended.withLock { $0.take() }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(1))) struct PassedThrough {
        private func request(_ server: RawServer, _ target: String, method: String = "GET") -> URLRequest {
            var request = URLRequest(url: URL(string: server.origin + target)!)
            request.httpMethod = method
            return request
        }

        @Test(
            "leaves downloads to the native class, redirects included", arguments: Form.allCases, ["/file", "/moved"])
        func download(form: Form, target: String) async throws {
            let server = try echoServer()
            let engine = FakeEngine()
            let delegate = TransferDelegate()
            let configuration = URLSessionConfiguration.ephemeral
            Interceptor.install(in: configuration, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            var text = ""
            switch form {
            case .async:
                let (file, _) = try await session.download(for: request(server, target))
                text = try String(contentsOf: file, encoding: .utf8)
                try FileManager.default.removeItem(at: file)
            case .completion:
                text = try await withCheckedThrowingContinuation { continuation in
                    let task = session.downloadTask(with: request(server, target)) { file, _, error in
                        continuation.resume(
                            with: Result {
                                if let error { throw error }
                                return try String(contentsOf: file!, encoding: .utf8)
                            })
                    }
                    task.resume()
                }
            case .delegate:
                try await delegate.run(session.downloadTask(with: request(server, target)))
                text = delegate.text
            }
            #expect(text == "native GET \(target == "/moved" ? "/there" : target) ")
            #expect(engine.asked.isEmpty)
        }

        @Test("leaves an upload whose body the delegate streams to the native class")
        func streamedUpload() async throws {
            let server = try echoServer()
            let engine = FakeEngine()
            let delegate = TransferDelegate { InputStream(data: Data("streamed".utf8)) }
            let configuration = URLSessionConfiguration.ephemeral
            Interceptor.install(in: configuration, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            try await delegate.run(session.uploadTask(withStreamedRequest: request(server, "/up", method: "POST")))
            #expect(delegate.text == "native POST /up streamed")
            #expect(engine.asked.isEmpty)
        }

        @Test("leaves a data task with a body stream to the native class", arguments: Form.allCases)
        func bodyStream(form: Form) async throws {
            let server = try echoServer()
            let engine = FakeEngine()
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                var request = request(server, "/stream", method: "POST")
                request.httpBodyStream = InputStream(data: Data("flow".utf8))
                let loaded = try await session.load(request, form: form, delegate: delegate)
                #expect(loaded.text == "native POST /stream flow")
                #expect(engine.asked.isEmpty)
            }
        }

        @Test(
            "leaves ignored methods to the native class, OPTIONS unless told", arguments: [nil, ["options", "TRACE"]])
        func ignoredMethods(methods: Set<String>?) async throws {
            let server = try echoServer()
            let engine = FakeEngine()
            if let methods { engine.setRules(RequestRules(ignoredMethods: methods)) }
            try await withInterception(engine) { session in
                for method in methods ?? ["OPTIONS"] {
                    let loaded = try await session.load(
                        request(server, "/o", method: method.uppercased()), form: .completion)
                    #expect(loaded.text == "native \(method.uppercased()) /o ")
                }
                #expect(engine.asked.isEmpty)
                // From the next request on.
                engine.setRules(RequestRules(ignoredMethods: []))
                let loaded = try await session.load(request(server, "/o", method: "OPTIONS"), form: .completion)
                #expect(loaded.text == "OPTIONS /o ")
                #expect(engine.asked.map(\.request.method.rawValue) == ["OPTIONS"])
            }
        }

        @Test(
            "leaves the hosts that the app excludes to the native class, whatever their case",
            arguments: [
                RequestRules.HostFilter.only(["app.test"]), .only(["APP.test", "else.test"]), .except(["LocalHost"]),
            ])
        func hosts(filter: RequestRules.HostFilter) async throws {
            let server = try echoServer()
            let engine = FakeEngine()
            engine.setRules(RequestRules(hosts: filter))
            try await withInterception(engine) { session in
                let native = URLRequest(url: URL(string: "http://LOCALHOST:\(server.port)/h")!)
                let excluded = try await session.load(native, form: .completion)
                #expect(excluded.text == "native GET /h ")
                #expect(engine.asked.isEmpty)
                let included = try await session.load(appRequest("/a"), form: .completion)
                #expect(included.text == "GET /a ")
                engine.setRules(RequestRules())
                let again = try await session.load(native, form: .completion)
                #expect(again.text == "GET /h ")
            }
        }

        @Test(
            "takes only what is an HTTP exchange",
            arguments: [
                ("http://app.test/", nil, true), ("HTTPS://app.test/", nil, true), ("ws://app.test/", nil, false),
                ("ftp://app.test/", nil, false), ("file:///etc/hosts", nil, false), ("http:///path", nil, false),
                ("http://app.test/", "websocket", false),
            ])
        func acceptance(address: String, upgrade: String?, isTaken: Bool) throws {
            var registry = InterceptionRegistry()
            let engine = FakeEngine()
            registry.install(engine)
            var request = URLRequest(url: try #require(URL(string: address)))
            request.setValue(upgrade, forHTTPHeaderField: "Upgrade")
            #expect(registry.accepts(request) == isTaken)
            engine.setRules(RequestRules(ignoredMethods: []))
            request.httpMethod = "CONNECT"
            #expect(!registry.accepts(request))
        }

        @Test("leaves other schemes to their own classes")
        func otherSchemes() async throws {
            let engine = FakeEngine()
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [OwnSchemeProtocol.self] + (configuration.protocolClasses ?? [])
            Interceptor.install(in: configuration, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            let session = URLSession(configuration: configuration)
            defer { session.finishTasksAndInvalidate() }
            let (data, _) = try await session.data(from: URL(string: "own:something")!)
            #expect(data == Data("own".utf8))
            #expect(engine.asked.isEmpty)
        }
    }

    @Suite(.timeLimit(.minutes(1))) struct Installation {
        @Test("answers with the newest handler, and with the one before when it is removed")
        func newest() async throws {
            let (old, new) = (FakeEngine(), FakeEngine())
            try await withInterception(old) { session in
                Interceptor.install(in: session, handler: new)
                _ = try await session.load(appRequest("/1"), form: .completion)
                Interceptor.uninstall(handler: new)
                _ = try await session.load(appRequest("/2"), form: .completion)
                #expect(new.asked.map(\.request.url.path) == ["/1"])
                #expect(old.asked.map(\.request.url.path) == ["/2"])
            }
        }

        @Test("makes a handler the newest again when it is installed again")
        func again() async throws {
            let (first, second) = (FakeEngine(), FakeEngine())
            try await withInterception(first) { session in
                Interceptor.install(in: session, handler: second)
                Interceptor.install(in: session, handler: first)
                defer { Interceptor.uninstall(handler: second) }
                _ = try await session.load(appRequest(), form: .completion)
                #expect(first.asked.count == 1)
                #expect(second.asked.isEmpty)
            }
        }

        @Test("leaves everything to the native class once no handler is installed")
        func uninstalled() async throws {
            let server = try echoServer()
            let engine = FakeEngine()
            try await withInterception(engine) { session in
                Interceptor.uninstall(handler: engine)
                let request = URLRequest(url: URL(string: server.origin + "/n")!)
                let loaded = try await session.load(request, form: .completion)
                #expect(loaded.text == "native GET /n ")
                #expect(engine.asked.isEmpty)
            }
        }

        @Test("puts its class first, once, and keeps the app's own behind it")
        func order() {
            let engine = FakeEngine()
            let configuration = URLSessionConfiguration.ephemeral
            let before = [OwnSchemeProtocol.self] + (configuration.protocolClasses ?? [])
            configuration.protocolClasses = before
            Interceptor.install(in: configuration, handler: engine)
            Interceptor.install(in: configuration, handler: engine)
            Interceptor.uninstall(handler: engine)
            let after = configuration.protocolClasses ?? []
            #expect(after.dropFirst().map { "\($0)" } == before.map { "\($0)" })
        }

        @Test("gives user information in a URL to the engine as credentials")
        func userInformation() async throws {
            let engine = FakeEngine()
            try await withInterception(engine) { session in
                let request = URLRequest(url: URL(string: "http://ann:pw@app.test/")!)
                _ = try await session.load(request, form: .completion)
                #expect(engine.asked.first?.request.fields[.authorization] == "Basic YW5uOnB3")
                #expect(engine.asked.first?.request.url.string == "http://app.test/")
            }
        }
    }
}

/// The app's own protocol for a scheme of its own.
private final class OwnSchemeProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "own" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        let response = URLResponse(
            url: request.url!, mimeType: nil, expectedContentLength: 3, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("own".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}
