import Acceleration
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

/// Long random histories: the model and the engine, each with an origin of its own, must give and send the same.
@Suite struct HistoryTests {
    private static let stepCount = 250

    @Test("the model and the engine agree", arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as [UInt64])
    func agreement(seed: UInt64) async throws {
        var maker = RandomHistory(seed: seed)
        var origin = maker.origin()
        var model = ModelCache()
        let network = LiveNetwork(origin)
        let world = try CachingWorld(network)
        var outcomes: Set<String> = []
        for number in 0..<Self.stepCount {
            let step = maker.step()
            world.time.advance(by: step.pause)
            let now = world.time.now
            origin.begin(step.mood, now: now, changing: step.changedPath)
            network.change { $0.begin(step.mood, now: now, changing: step.changedPath) }
            let expected = model.send(step.request, now: now) { origin.answer(to: $0) }
            let answer = try await world.answer(to: step.request)
            let comment: Comment = "step \(number) of seed \(seed): \(step)"
            #expect(answer?.response.status == expected?.response.status, comment)
            #expect(answer?.text == expected?.text, comment)
            for name in [HTTPFieldName.age, .eTag, .contentRange, .contentLength, .date, "X-For"] {
                #expect(answer?.response.fields[name] == expected?.response.fields[name], comment)
            }
            #expect(answer?.cacheStatus?.isHit == expected?.cacheStatus?.isHit, comment)
            #expect(answer?.cacheStatus?.forwardReason == expected?.cacheStatus?.forwardReason, comment)
            #expect(answer?.cacheStatus?.forwardStatus == expected?.cacheStatus?.forwardStatus, comment)
            #expect(network.seen.map(\.fields) == origin.seen.map(\.fields), comment)
            outcomes.insert(String(describing: EngineFront.outcome(of: answer, step.request, network.seen)))
        }
        #expect(outcomes.isSuperset(of: ["hit", "miss", "validated", "replaced", "failed"]), "\(outcomes)")
    }
}

/// The live origin as the network.
private final class LiveNetwork: HTTPTransport {
    private let origin: Locked<LiveOrigin>

    init(_ origin: LiveOrigin) { self.origin = Locked(origin) }

    var seen: [HTTPRequest] { origin.withLock { $0.seen } }
    func change(_ body: (inout LiveOrigin) -> Void) { origin.withLock { body(&$0) } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard let answer = origin.withLock({ $0.answer(to: request.request) }) else {
            throw TransportError(.connectionFailed, "the origin is away")
        }
        return TransportResponse(
            response: answer.response, body: ByteStream(CaseBody(answer)), metrics: { TransferMetrics() })
    }
}

/// Random requests to few resources, so that they meet.
private struct RandomHistory {
    struct Step: Sendable {
        var pause: Duration
        var request: HTTPRequest
        var mood: LiveOrigin.Mood
        var changedPath: String?
    }

    private static let paths = ["/plain", "/weak", "/varying", "/strict", "/brief"]
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func origin() -> LiveOrigin {
        var origin = LiveOrigin()
        origin.resources = [
            "/plain": .init(path: "/plain", fields: ["Cache-Control": "max-age=60"]),
            "/weak": .init(path: "/weak", fields: ["Cache-Control": "max-age=60"], isTagWeak: true),
            "/varying": .init(path: "/varying", fields: ["Cache-Control": "max-age=60", "Vary": "Foo"]),
            "/strict": .init(path: "/strict", fields: ["Cache-Control": "no-cache"]),
            "/brief": .init(path: "/brief", fields: ["Cache-Control": "max-age=5, stale-if-error=20, must-understand"]),
        ]
        return origin
    }

    mutating func step() -> Step {
        let path = pick(Self.paths)
        var fields = HTTPFields()
        if chance(40) { fields.append(.range, pick(["bytes=0-5", "bytes=6-", "bytes=3-9", "bytes=-4", "bytes=99-"])) }
        if chance(15) { fields.append(.ifNoneMatch, "\"\(Int.random(in: 0...5, using: &generator))\"") }
        if chance(10) { fields.append(.ifRange, "\"\(Int.random(in: 0...5, using: &generator))\"") }
        if chance(25) {
            fields.append(.cacheControl, pick(["no-cache", "max-age=0", "only-if-cached", "max-stale", "no-store"]))
        }
        if chance(60) { fields.append("Foo", pick(["1", "2"])) }
        let method: HTTPMethod = chance(85) ? .get : chance(60) ? .head : .post
        return Step(
            pause: .seconds(pick([0, 1, 4, 10, 30, 61])),
            request: HTTPRequest(method: method, url: HTTPURL("http://example.com\(path)")!, fields: fields),
            mood: chance(70) ? .well : pick(LiveOrigin.Mood.allCases), changedPath: chance(10) ? path : nil)
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value { values.randomElement(using: &generator)! }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
}
