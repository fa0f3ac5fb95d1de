import Acceleration
import ContentStore
import Foundation
import HTTPModel
import Interception
import Primitives
import TestSupport
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension InterceptionSuite {
    /// The adapter over the engine that ships: store on disk, libcurl, a real server.
    @Suite(.timeLimit(.minutes(1))) struct WithTheEngine {
        private func withEngine(
            _ script: @escaping @Sendable (RawConnection) throws -> Void,
            _ body: (URLSession, RecordingDelegate, RawServer) async throws -> Void
        ) async throws {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let store = try ContentStore(
                configuration: .init(directory: directory.path), timekeeper: SystemTimekeeper())
            let transport = CurlTransport()
            defer { transport.shutDown() }
            let engine = Accelerator(store: store, transport: transport, timekeeper: SystemTimekeeper())
            let configuration = URLSessionConfiguration.ephemeral
            Interceptor.install(in: configuration, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            let delegate = RecordingDelegate()
            let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
            defer { session.finishTasksAndInvalidate() }
            let server = try RawServer(script)
            try await body(session, delegate, server)
        }

        private static let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

        @Test("serves a stored answer byte for byte when the server is gone", arguments: Form.allCases)
        func offline(form: Form) async throws {
            let script: @Sendable (RawConnection) throws -> Void = { connection in
                while try connection.readHead() != nil {
                    let head =
                        "HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\nContent-Length: \(Self.body.count)\r\n\r\n"
                    try connection.write(Data(head.utf8) + Self.body)
                }
            }
            try await withEngine(script) { session, delegate, server in
                let request = URLRequest(url: URL(string: server.origin + "/big?q=1")!)
                let first = try await session.load(request, form: .completion)
                #expect(first.data == Self.body)
                server.stop()
                let second = try await session.load(request, form: form, delegate: delegate)
                #expect(second.data == Self.body)
                #expect(second.response.value(forHTTPHeaderField: "Cache-Status")?.contains("hit") == true)
            }
        }

        @Test("fails as the native class does when nobody listens", arguments: Form.allCases)
        func refused(form: Form) async throws {
            try await withEngine({ _ in }) { session, delegate, server in
                server.stop()
                let request = URLRequest(url: URL(string: server.origin + "/")!)
                let error = await #expect(throws: URLError.self) {
                    try await session.load(request, form: form, delegate: delegate)
                }
                #expect(error?.code == .cannotConnectToHost || error?.code == .networkConnectionLost)
            }
        }

        @Test("uploads from memory through the engine to a real server", arguments: Form.allCases)
        func upload(form: Form) async throws {
            let script: @Sendable (RawConnection) throws -> Void = { connection in
                while let head = try connection.readHead() {
                    if head.lowercased().contains("expect: 100-continue") {
                        try connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    }
                    let sent = try connection.read(Self.body.count)
                    let answer = sent == Self.body ? "same" : "other"
                    try connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(answer.utf8.count)\r\n\r\n\(answer)")
                }
            }
            try await withEngine(script) { session, delegate, server in
                var request = URLRequest(url: URL(string: server.origin + "/up")!)
                request.httpMethod = "POST"
                let loaded = try await session.load(request, .upload(Self.body), form: form, delegate: delegate)
                #expect(loaded.text == "same")
            }
        }
    }
}
