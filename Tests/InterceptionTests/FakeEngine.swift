import Acceleration
import Foundation
import HTTPCaching
import HTTPModel
import Primitives
import Transport
import Wire

/// An engine that answers by script and keeps what it was asked.
final class FakeEngine: RequestHandling {
    struct Asked: Sendable {
        var request: HTTPRequest
        var body: Data?
        var options: RequestOptions
    }

    typealias Script = @Sendable (Asked) async throws -> (HTTPResponse, ByteStream)

    private let script: Script
    private let log = Locked<[Asked]>([])
    private let currentRules = Locked(RequestRules())

    var rules: RequestRules { currentRules.withLock { $0 } }
    func setRules(_ rules: RequestRules) { currentRules.withLock { $0 = rules } }

    init(_ script: @escaping Script) { self.script = script }

    /// An engine that answers 200 with method, target and body of the request.
    convenience init() {
        self.init { asked in
            let text =
                "\(asked.request.method) \(asked.request.url.target) "
                + String(decoding: asked.body ?? Data(), as: UTF8.self)
            return (HTTPResponse(status: 200, fields: ["Content-Type": "text/plain"]), ByteStream(Data(text.utf8)))
        }
    }

    var asked: [Asked] { log.withLock { $0 } }

    func send(
        _ request: HTTPRequest, body: RequestBody?, options: RequestOptions
    ) async throws -> AcceleratedResponse {
        var bytes: Data?
        switch body {
        case nil: bytes = nil
        case .data(let data): bytes = data
        case .file(let path): bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        case .stream(let stream, _): bytes = try await stream.collect()
        }
        let asked = Asked(request: request, body: bytes, options: options)
        log.withLock { $0.append(asked) }
        let (response, stream) = try await script(asked)
        return AcceleratedResponse(
            response: response, url: request.url, redirects: [], body: stream, storedBody: nil,
            record: {
                ExchangeRecord(
                    date: Date(timeIntervalSince1970: 0), method: "GET", url: "", status: 200, outcome: .miss,
                    cacheStatus: "", firstByteMicroseconds: 0, totalMicroseconds: 0, bodyByteCount: 0, wireByteCount: 0)
            },
            metrics: { nil }, decision: CacheDecision(action: .forward(.miss), reasons: []))
    }
}

/// A stream of given pieces, then an end or an error.
final class PieceSource: ByteSource {
    private let pieces: Locked<[Data]>
    private let failure: (any Error)?
    private let taken = Locked(0)
    /// How many pieces were asked for.
    var takenCount: Int { taken.withLock { $0 } }

    init(_ pieces: [Data], failure: (any Error)? = nil) {
        self.pieces = Locked(pieces.reversed())
        self.failure = failure
    }

    func next() async throws -> Data? {
        taken.withLock { $0 += 1 }
        if let piece = pieces.withLock({ $0.popLast() }) { return piece }
        if let failure { throw failure }
        return nil
    }

    func cancel() {}
}

/// Lets tests hold an engine back until they have seen enough.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
