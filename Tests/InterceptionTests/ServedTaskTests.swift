import Foundation
import HTTPModel
import Interception
import Primitives
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(1))) struct ServedTasks {
        /// How the engine gets into the session.
        enum Entrance: String, CaseIterable, Sendable { case configuration, existingSession }

        @Test(
            "serves data tasks in every form, in sessions made before and after", arguments: Form.allCases,
            Entrance.allCases)
        func dataTask(form: Form, entrance: Entrance) async throws {
            let engine = FakeEngine()
            let delegate = RecordingDelegate()
            let configuration = URLSessionConfiguration.ephemeral
            if entrance == .configuration { Interceptor.install(in: configuration, handler: engine) }
            let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
            if entrance == .existingSession { Interceptor.install(in: session, handler: engine) }
            defer {
                Interceptor.uninstall(handler: engine)
                session.finishTasksAndInvalidate()
            }
            let loaded = try await session.load(appRequest("/a?b=1"), form: form, delegate: delegate)
            #expect(loaded.text == "GET /a?b=1 ")
            #expect(loaded.response.statusCode == 200)
            #expect(loaded.response.url?.absoluteString == "http://app.test/a?b=1")
            #expect(loaded.response.value(forHTTPHeaderField: "content-type") == "text/plain")
            #expect(engine.asked.count == 1)
        }

        @Test("serves the shared session, which existed before", arguments: [Form.async, .completion])
        func sharedSession(form: Form) async throws {
            let engine = FakeEngine()
            let shared = URLSession.shared
            Interceptor.install(in: shared, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            #expect(try await shared.load(appRequest("/s"), form: form).text == "GET /s ")
        }

        @Test("sends the body that is in the request", arguments: Form.allCases)
        func httpBody(form: Form) async throws {
            let engine = FakeEngine()
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(
                    appRequest("/p", method: "POST"), .httpBody(Data("bytes".utf8)), form: form, delegate: delegate)
                #expect(loaded.text == "POST /p bytes")
            }
        }

        @Test("sends the body of an upload from memory", arguments: Form.allCases)
        func upload(form: Form) async throws {
            let delegate = RecordingDelegate()
            try await withInterception(FakeEngine(), delegate: delegate) { session in
                let loaded = try await session.load(
                    appRequest("/u", method: "PUT"), .upload(Data("from memory".utf8)), form: form, delegate: delegate)
                #expect(loaded.text == "PUT /u from memory")
            }
        }

        @Test("sends the body of an upload from a file", arguments: Form.allCases)
        func uploadFile(form: Form) async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
            try Data("from a file".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let delegate = RecordingDelegate()
            try await withInterception(FakeEngine(), delegate: delegate) { session in
                let loaded = try await session.load(
                    appRequest("/f", method: "POST"), .uploadFile(file), form: form, delegate: delegate)
                #expect(loaded.text == "POST /f from a file")
            }
        }

        @Test("fails an upload of a missing file as the native class does", arguments: Form.allCases)
        func uploadMissingFile(form: Form) async throws {
            let engine = FakeEngine()
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let error = await #expect(throws: URLError.self) {
                    try await session.load(
                        appRequest("/f", method: "POST"), .uploadFile(URL(fileURLWithPath: "/nowhere/at/all")),
                        form: form, delegate: delegate)
                }
                #expect(error?.code == .fileDoesNotExist)
                #expect(engine.asked.isEmpty)
            }
        }

        @Test("gives whoever waits for the whole body all of its pieces", arguments: [Form.async, .completion])
        func wholeBody(form: Form) async throws {
            let pieces = (0..<100).map { Data(repeating: UInt8($0), count: 1_000) }
            let engine = FakeEngine { _ in (HTTPResponse(status: 200), ByteStream(PieceSource(pieces))) }
            try await withInterception(engine) { session in
                let loaded = try await session.load(appRequest(), form: form)
                #expect(loaded.data == pieces.reduce(into: Data()) { $0.append($1) })
            }
        }

        @Test(
            "gives a body that is too long for memory whole, from a mapped file", arguments: [Form.async, .completion])
        func longBody(form: Form) async throws {
            let pieces = (0..<24).map { Data(repeating: UInt8($0), count: 1 << 20) }
            let engine = FakeEngine { _ in (HTTPResponse(status: 200), ByteStream(PieceSource(pieces))) }
            try await withInterception(engine) { session in
                let loaded = try await session.load(appRequest(), form: form)
                #expect(loaded.data == pieces.reduce(into: Data()) { $0.append($1) })
            }
        }

        @Test("gives a delegate the pieces in order as they come")
        func pieces() async throws {
            let pieces = (0..<50).map { Data(repeating: UInt8($0), count: 10) }
            let engine = FakeEngine { _ in (HTTPResponse(status: 200), ByteStream(PieceSource(pieces))) }
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                _ = try await session.load(appRequest(), form: .delegate, delegate: delegate)
                #expect(delegate.record.pieces == pieces)
                #expect(delegate.record.completions == 1)
            }
        }

        @Test("tells the delegate of an async call of response and data")
        func taskDelegate() async throws {
            let delegate = RecordingDelegate()
            try await withInterception(FakeEngine()) { session in
                let (data, _) = try await session.data(for: appRequest("/t"), delegate: delegate)
                #expect(data == Data("GET /t ".utf8))
                #expect(delegate.record.response?.statusCode == 200)
                #expect(delegate.record.pieces == [data])
            }
        }

        @Test("does not read ahead of a delegate that is busy")
        func backPressure() async throws {
            let source = PieceSource((0..<50).map { Data(repeating: UInt8($0), count: 10) })
            let engine = FakeEngine { _ in (HTTPResponse(status: 200), ByteStream(source)) }
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let configuration = URLSessionConfiguration.ephemeral
            Interceptor.install(in: configuration, handler: engine)
            defer { Interceptor.uninstall(handler: engine) }
            let counts = Locked<[Int]>([])
            let observed = ObservingDelegate { counts.withLock { $0.append(source.takenCount) } }
            let watched = URLSession(configuration: configuration, delegate: observed, delegateQueue: queue)
            defer { watched.finishTasksAndInvalidate() }
            try await observed.run(watched.dataTask(with: appRequest()))
            #expect(counts.withLock { $0 } == Array(1...50))
        }

        @Test("answers HEAD and 204 without a body", arguments: Form.allCases, [200, 204])
        func noBody(form: Form, status: Int) async throws {
            let engine = FakeEngine { _ in
                (HTTPResponse(status: status, fields: ["Content-Length": "5"]), ByteStream.empty)
            }
            let delegate = RecordingDelegate()
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(
                    appRequest("/", method: status == 200 ? "HEAD" : "GET"), form: form, delegate: delegate)
                #expect(loaded.data.isEmpty)
                #expect(loaded.response.statusCode == status)
            }
        }

        @Test("takes a task that nobody waits for to its end")
        func nobody() async throws {
            let source = PieceSource([Data("a".utf8), Data("b".utf8)])
            let engine = FakeEngine { _ in (HTTPResponse(status: 200), ByteStream(source)) }
            try await withInterception(engine) { session in
                let task = session.dataTask(with: appRequest())
                task.resume()
                while task.state != .completed { await Task.yield() }
                #expect(source.takenCount == 3)
            }
        }
    }
}

/// A delegate that looks around at each piece.
final class ObservingDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let look: @Sendable () -> Void
    private let ended = Locked<CheckedContinuation<Void, any Error>?>(nil)

    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    func run(_ task: URLSessionTask) async throws {
        try await withCheckedThrowingContinuation { continuation in
            ended.withLock { $0 = continuation }
            task.resume()
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { look() }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let continuation = ended.withLock { $0.take() }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
    }
}
