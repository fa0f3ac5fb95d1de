import AkaCommon
import AkaMap
import Foundation
import TestSupport
import Testing

@testable import Larder
@testable import VocCommon

/// Sends what is meant for https origins, as the guides' samples name them, to an origin on the loopback.
final class RewiredTransport: HTTPTransport {
    private let inner = CurlTransport(configuration: .init())
    private let origin: Locked<String?>
    private let log = Locked<[TransportRequest]>([])

    init(origin: String) { self.origin = Locked(origin) }

    /// What was sent so far, in order.
    var sent: [TransportRequest] { log.withLock { $0 } }

    /// Returns the next request of a kind that was not returned before.
    func wait(for isWanted: @escaping @Sendable (TransportRequest) -> Bool) async -> TransportRequest {
        while true {
            let found = log.withLock { log -> TransportRequest? in
                log.firstIndex(where: isWanted).map { log.remove(at: $0) }
            }
            if let found { return found }
            await Task.yield()
        }
    }

    func disconnect() { origin.withLock { $0 = nil } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        log.withLock { $0.append(request) }
        guard let origin = origin.withLock({ $0 }) else { throw TransportError(.connectionFailed, "no network") }
        var request = request
        let url = request.request.url
        if url.isSecure || url.host == "www.akamai.com" {
            request.request.url = try #require(HTTPURL(origin + url.string.dropFirst(url.origin.count)))
        }
        return try await inner.send(request)
    }
}

/// The process's client with an origin that answers for every https one.
final class MapRig: Sendable {
    let directory: TemporaryDirectory
    let origin: ScriptedOrigin
    let transport: RewiredTransport
    private let lines = Locked<[String]>([])

    var log: [String] { lines.withLock { $0 } }

    /// Runs a test while the client is there.
    static func run(
        _ answer: @escaping @Sendable (ScriptedOrigin.Request) throws -> ScriptedOrigin.Response = MapRig.page,
        configure: (inout LarderConfiguration) -> Void = { _ in }, _ body: (MapRig) async throws -> Void
    ) async throws {
        let rig = try MapRig(answer)
        var configuration = LarderConfiguration()
        configuration.directory = rig.directory.path("larder")
        configuration.conditions = ManualConditions()
        configuration.log = { [lines = rig.lines] line in lines.withLock { $0.append(line) } }
        configure(&configuration)
        SharedClient.shared.begin {
            LarderClient(configuration: configuration, timekeeper: SystemTimekeeper(), transport: rig.transport)
        }
        do { try await body(rig) } catch {
            await SharedClient.shared.reset()
            throw error
        }
        await SharedClient.shared.reset()
    }

    /// Runs a test while the client is registered with a server that has the segments "news" and "sport", each of one URL of
    /// the origin and one that they share.
    static func runWithServer(
        configure: (inout LarderConfiguration) -> Void = { _ in },
        _ body: (MapRig, ControlPlane) async throws -> Void
    ) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let origin = try ScriptedOrigin(page)
        let segments = ["news", "sport"].reduce(into: [:]) {
            $0[$1] = ["\(origin.origin)/\($1)", "\(origin.origin)/shared"]
        }
        let plane = try await ControlPlane(segments, in: directory)
        try await run(configure: {
            $0.serverURL = plane.url
            $0.apiKey = plane.apiKey
            $0.bundleID = "com.example.news"
            configure(&$0)
        }) { rig in
            let client = try #require(SharedClient.shared.client)
            for await status in client.statuses() where status.releaseVersion != nil && status.isComplete { break }
            try await body(rig, plane)
        }
        withExtendedLifetime(origin) {}
    }

    private init(_ answer: @escaping @Sendable (ScriptedOrigin.Request) throws -> ScriptedOrigin.Response) throws {
        directory = try TemporaryDirectory()
        origin = try ScriptedOrigin(answer)
        transport = RewiredTransport(origin: origin.origin)
    }

    /// A page that may be kept for an hour.
    static let page: @Sendable (ScriptedOrigin.Request) -> ScriptedOrigin.Response = { request in
        .init(
            "the page \(request.target)", ["Cache-Control": "max-age=3600", "Content-Type": "text/html; charset=utf-8"])
    }
}

/// What was heard, in order, to be waited for.
final class Hearing: Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [(wanted: @Sendable ([String]) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var lines: [String] { state.withLock { $0.lines } }

    func hear(_ line: String) {
        let met = state.withLock { state in
            state.lines.append(line)
            let met = state.waiting.filter { $0.wanted(state.lines) }
            state.waiting.removeAll { $0.wanted(state.lines) }
            return met
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Returns once what was heard is as wanted.
    func wait(until wanted: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMet = state.withLock { state in
                if wanted(state.lines) { return true }
                state.waiting.append((wanted, continuation))
                return false
            }
            if isMet { continuation.resume() }
        }
    }

    /// Returns once a line was heard.
    func wait(for line: String) async { await wait { $0.contains(line) } }
}
