import Acceleration
import ContentStore
import Foundation
import HTTPCaching
import HTTPModel
import Primitives
import TestSupport
import Transport

/// The real engine on a store of its own, with the origin of a case behind it and a clock moved by hand.
final class CachingWorld: Sendable {
    private let directory: TemporaryDirectory
    let store: ContentStore
    let time = ManualTimekeeper(now: CachingCase.start)
    let accelerator: Accelerator
    private let endedCount = Locked(0)

    init(_ network: any HTTPTransport, policy: CachingPolicy = CachingPolicy()) throws {
        directory = try TemporaryDirectory()
        store = try ContentStore(
            configuration: ContentStore.Configuration(directory: directory.path("store")), timekeeper: time)
        accelerator = Accelerator(
            store: store, transport: network, policy: policy, timekeeper: time,
            onExchange: { [endedCount] _ in endedCount.withLock { $0 += 1 } })
    }

    /// Sends a request as the front doors do, to the store first; `nil` when it fails.
    func answer(to request: HTTPRequest) async throws -> CachingAnswer? {
        var options = RequestOptions()
        options.followsRedirects = false
        do {
            let stored = accelerator.sendFromStore(request, options: options)
            let answer = if let stored { stored } else { try await accelerator.send(request, options: options) }
            let text = String(decoding: try await answer.body.collect(), as: UTF8.self)
            return CachingAnswer(answer.response, text)
        } catch is TransportError {
            return nil
        }
    }

    /// Moves the clock to an exchange.
    func begin(_ exchange: CachingExchange) {
        time.advance(by: .seconds((CachingCase.start + exchange.time).timeIntervalSince(time.now)))
    }

    /// Waits until all that an answer began is over.
    func end(_ answer: CachingAnswer?, url: HTTPURL) async throws {
        if let status = answer?.cacheStatus, status.isHit, status.ttl.map({ $0 <= 0 }) == true,
            status.detail == "stale-while-revalidate"
        {
            // The validation runs behind the answer, and its entry is written before it ends.
            for _ in 0..<1_000_000 {
                if try store.entries(for: url).contains(where: { $0.responseTime == time.now }) { break }
                await Task.yield()
            }
        }
    }

    /// Waits until so many exchanges have ended, their entries stored: a front may have its answer a moment before.
    func waitForExchanges(_ count: Int) async {
        for _ in 0..<1_000_000 where endedCount.withLock({ $0 }) < count { await Task.yield() }
    }

    func pin() throws {
        for entry in try store.entries(after: 0, limit: 100) { try store.hold(entryID: entry.id, holder: "segment@1") }
    }
}

/// The origin of a case, as the network.
final class CaseOrigin: HTTPTransport {
    private struct State {
        var exchange: (CachingExchange, Int)?
        var requests: [HTTPRequest] = []
    }

    private let state = Locked(State())

    var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// From here on the origin answers as an exchange says.
    func begin(_ exchange: CachingExchange, position: Int) {
        state.withLock { $0 = State(exchange: (exchange, position)) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let exchange = state.withLock { state in
            state.requests.append(request.request)
            return state.exchange
        }
        guard let (exchange, position) = exchange,
            let answer = exchange.originAnswer(to: request.request, position: position)
        else { throw TransportError(.connectionFailed, "the origin of the case is away") }
        return TransportResponse(
            response: answer.response, body: ByteStream(CaseBody(answer)), decodedFrom: answer.coding,
            metrics: { TransferMetrics() })
    }
}

/// A body that may break off.
final class CaseBody: ByteSource {
    private let rest: Locked<[Data]>
    private let isBroken: Bool

    init(_ answer: CachingOriginAnswer) {
        rest = Locked(answer.text.isEmpty ? [] : [Data(answer.text.utf8)])
        isBroken = answer.isBroken
    }

    func next() async throws -> Data? {
        if let data = rest.withLock({ $0.popLast() }) { return data }
        if isBroken { throw TransportError(.bodyTruncated, "the origin of the case broke off") }
        return nil
    }

    func cancel() {}
}

/// Direct calls of the engine as a front.
struct EngineFront: CachingFront {
    private let origin = CaseOrigin()
    private let world: CachingWorld

    init(_ policy: CachingPolicy) throws { world = try CachingWorld(origin, policy: policy) }

    func send(_ request: HTTPRequest, _ exchange: CachingExchange, position: Int) async throws -> (
        answer: CachingAnswer?, seen: [HTTPRequest]
    ) {
        world.begin(exchange)
        origin.begin(exchange, position: position)
        let answer = try await world.answer(to: request)
        try await world.end(answer, url: request.url)
        return (answer, origin.requests)
    }

    func pin() throws { try world.pin() }
}
