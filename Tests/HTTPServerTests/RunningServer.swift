import Foundation
import HTTPModel
import HTTPServer
import Primitives
import TestSupport

/// A server on a free port with the log it has written.
final class RunningServer: Sendable {
    let server: HTTPServer
    let clock: ManualTimekeeper
    private let lines: LogBook

    var port: Int { Int(server.port) }
    var log: [ServerLogLine] { lines.all }

    init(
        _ routes: [Route], configure: (inout HTTPServer.Configuration) -> Void = { _ in }
    ) throws {
        var configuration = HTTPServer.Configuration()
        configure(&configuration)
        let lines = LogBook()
        self.lines = lines
        clock = ManualTimekeeper()
        server = try HTTPServer(
            configuration: configuration, routes: routes, timekeeper: clock, log: { lines.add($0) })
    }

    func client() throws -> RawClient { try RawClient(port: port) }

    /// One request on a connection of its own.
    func get(_ target: String, method: String = "GET", fields: [String: String] = [:]) async throws -> RawResponse {
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        return try await client().exchange(
            "\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n", toHead: method == "HEAD")
    }

    /// One request with a body on a connection of its own.
    func send(
        _ method: String, _ target: String, body: String, fields: [String: String] = [:]
    ) async throws -> RawResponse {
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        return try await client().exchange(
            "\(method) \(target) HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.utf8.count)\r\n\(lines)\r\n\(body)")
    }

    /// Waits for the log to have so many lines: a line is written once the answer is through, which its client may see first.
    func log(lines count: Int) async -> [ServerLogLine] { await lines.first(count) }
}

/// What a server has logged.
final class LogBook: Sendable {
    private struct State {
        var lines: [ServerLogLine] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<[ServerLogLine], Never>)] = []
    }

    private let state = Locked(State())

    var all: [ServerLogLine] { state.withLock { $0.lines } }

    func add(_ line: ServerLogLine) {
        let ready = state.withLock { state in
            state.lines.append(line)
            let ready = state.waiters.filter { $0.count <= state.lines.count }
            state.waiters.removeAll { $0.count <= state.lines.count }
            return ready.map { ($0.continuation, state.lines) }
        }
        for (continuation, lines) in ready { continuation.resume(returning: lines) }
    }

    func first(_ count: Int) async -> [ServerLogLine] {
        await withCheckedContinuation { continuation in
            let lines = state.withLock { state -> [ServerLogLine]? in
                if state.lines.count >= count { return state.lines }
                state.waiters.append((count, continuation))
                return nil
            }
            if let lines { continuation.resume(returning: lines) }
        }
    }
}

/// A handler that answers with text.
func text(_ text: String, status: Int = 200) -> ServerResponse {
    ServerResponse(status: status, fields: ["Content-Type": "text/plain"], body: .data(Data(text.utf8)))
}
