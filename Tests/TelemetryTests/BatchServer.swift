import Foundation
import HTTPModel
import Primitives
import Transport
import Wire

/// A server that takes batches as a device sends them, answering each by script.
final class BatchServer: HTTPTransport {
    struct Post: Sendable {
        var request: HTTPRequest
        var batch: TelemetryBatch
    }

    private struct State {
        var posts: [Post] = []
        var answers: [Int] = []
    }

    private let state = Locked(State())

    /// The statuses of the next answers; 204 when they have run out, no connection for 0.
    init(answers: [Int] = []) { state.withLock { $0.answers = answers } }

    var posts: [Post] { state.withLock { $0.posts } }
    /// The names of every event that came, in order.
    var names: [String] { posts.flatMap { post in post.batch.items.map(\.name) } }

    func lossCount(_ reason: String) -> Int {
        var count = 0
        for post in posts { count += post.batch.losses[reason] ?? 0 }
        return count
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard case .data(let body) = request.body,
            let json = WireCoding.decompress(body, byteCountMax: 64 << 20)
        else { throw TransportError(.other, "the body is not zstd") }
        let batch = try WireCoding.decode(TelemetryBatch.self, from: json)
        let status = state.withLock { state in
            state.posts.append(Post(request: request.request, batch: batch))
            return state.answers.isEmpty ? 204 : state.answers.removeFirst()
        }
        if status == 0 { throw TransportError(.connectionFailed, "no connection") }
        return TransportResponse(
            response: HTTPResponse(status: status), body: .empty, metrics: { TransferMetrics() })
    }
}

extension TelemetryItem {
    static func named(_ name: String) -> TelemetryItem {
        .event(AppEvent(name: name, date: Date(timeIntervalSince1970: 1_767_225_600)))
    }

    var name: String {
        if case .event(let event) = self { event.name } else { "" }
    }
}
