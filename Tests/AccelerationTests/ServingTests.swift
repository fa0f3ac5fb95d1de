import Acceleration
import ContentStore
import Foundation
import HTTPCaching
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("Serving from the store")
struct ServingTests {
    private static let fresh: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]

    @Test("what the store alone can answer is answered at once, and nothing else")
    func answersAtOnce() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        let request = HTTPRequest(url: try #require(HTTPURL("http://example.com/a")))
        #expect(rig.accelerator.sendFromStore(request) == nil)
        _ = try await rig.get()
        let answer = try #require(rig.accelerator.sendFromStore(request))
        #expect(try await Got(answer).record.outcome == .cacheHit)
        rig.time.advance(by: .seconds(61))
        #expect(rig.accelerator.sendFromStore(request) == nil)
        #expect(rig.transport.requests.count == 1)
    }

    @Test("a fresh response answers the second request without the network")
    func servesFresh() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        let first = try await rig.get()
        rig.time.advance(by: .seconds(5))
        let answer = try await rig.send()
        #expect(answer.storedBody?.byteCount == 5)
        let second = try await Got(answer)
        #expect(first.text == "hello")
        #expect(second.text == "hello")
        #expect(second.response.fields[.age] == "5")
        #expect(rig.transport.requests.count == 1)
        #expect(first.record.outcome == .miss)
        #expect(first.record.wireByteCount == 1_000)
        #expect(first.record.httpVersion == "2")
        #expect(second.record.outcome == .cacheHit)
        #expect(second.record.wireByteCount == 0)
        #expect(second.record.bodyByteCount == 5)
        #expect(await answer.metrics() == nil)
    }

    @Test("every response carries this cache's Cache-Status member after those already there")
    func addsCacheStatus() async throws {
        let rig = try Rig { _ in
            .text("hello", [.cacheControl: "max-age=60", .cacheStatus: "edge; hit"])
        }
        let miss = try await rig.get()
        let hit = try await rig.get()
        let missMembers = try #require(CacheStatus.parse(miss.cacheStatus))
        #expect(missMembers.map(\.cacheName) == ["edge", "Larder"])
        #expect(missMembers[1].forwardReason == .uriMiss)
        #expect(missMembers[1].forwardStatus == 200)
        #expect(missMembers[1].isStored == true)
        let hitMembers = try #require(CacheStatus.parse(hit.cacheStatus))
        #expect(hitMembers.map(\.cacheName) == ["edge", "Larder"])
        #expect(hitMembers[1].isHit)
        #expect(hitMembers[1].ttl == 60)
        #expect(hit.record.cacheStatus == hitMembers[1].description)
    }

    @Test("pre-positioned content is a pinned hit that names its segments")
    func namesSegments() async throws {
        let rig = try Rig { _ in throw TransportError(.connectionFailed, "no network") }
        try rig.pin("http://example.com/a", "ahead", holder: "news@42", Self.fresh)
        let got = try await rig.get()
        #expect(got.text == "ahead")
        #expect(got.record.outcome == .pinnedHit)
        #expect(got.record.segments == ["news"])
        #expect(rig.transport.requests.isEmpty)
    }

    @Test("a request that allows only the cache gets 504 and no network")
    func refuses() async throws {
        let rig = try Rig { _ in .text("hello") }
        let got = try await rig.get("http://example.com/a", [.cacheControl: "only-if-cached"])
        #expect(got.response.status == 504)
        #expect(rig.transport.requests.isEmpty)
        #expect(CacheStatus.parse(got.cacheStatus)?.last?.cacheName == "Larder")
    }

    @Test("HEAD is answered from a stored GET, without a body")
    func answersHead() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        _ = try await rig.get()
        let answer = try await rig.send("http://example.com/a", .head)
        #expect(answer.storedBody == nil)
        let got = try await Got(answer)
        #expect(got.response.status == 200)
        #expect(got.text.isEmpty)
        #expect(got.record.outcome == .cacheHit)
        #expect(rig.transport.requests.count == 1)
    }

    @Test("the app's own conditional request is answered 304 from the store")
    func answersConditional() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        _ = try await rig.get()
        let got = try await rig.get("http://example.com/a", [.ifNoneMatch: "\"1\""])
        #expect(got.response.status == 304)
        #expect(got.text.isEmpty)
        #expect(rig.transport.requests.count == 1)
    }

    @Test("content codings are asked for, except beside a range or the app's own choice")
    func asksForCodings() async throws {
        let rig = try Rig { _ in .text("hello") }
        _ = try await rig.get()
        _ = try await rig.get("http://example.com/a", [.range: "bytes=0-1"])
        _ = try await rig.get("http://example.com/a", [.acceptEncoding: "identity"])
        let sent = rig.transport.requests
        #expect(sent.map { $0.request.fields[.acceptEncoding] } == ["gzip, br, zstd", nil, "identity"])
        #expect(sent.map(\.decodesContent) == [true, false, true])
    }

    @Test("a body whose file is gone from the disk is fetched anew")
    func fetchesLostBody() async throws {
        let rig = try Rig(inline: -1) { _ in .text("hello", Self.fresh) }
        _ = try await rig.get()
        let url = try #require(HTTPURL("http://example.com/a"))
        let entry = try #require(try rig.store.entries(for: url).first)
        try FileManager.default.removeItem(atPath: #require(rig.store.body(of: entry).path))
        let got = try await rig.get()
        #expect(got.text == "hello")
        #expect(got.record.outcome == .miss)
        #expect(rig.transport.requests.count == 2)
        #expect(rig.faults.count == 1)
    }

    @Test("without a store every request goes to the network")
    func worksWithoutStore() async throws {
        let transport = FakeTransport { _ in .text("hello", Self.fresh) }
        let accelerator = Accelerator(store: nil, transport: transport, timekeeper: SystemTimekeeper())
        let request = HTTPRequest(url: try #require(HTTPURL("http://example.com/a")))
        for _ in 0..<2 {
            #expect(try await Got(accelerator.send(request)).text == "hello")
        }
        #expect(transport.requests.count == 2)
    }

    @Test("a request that bypasses the cache neither reads nor writes it")
    func bypasses() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        var options = RequestOptions()
        options.bypassesCache = true
        let first = try await Got(rig.send(options: options))
        #expect(try rig.store.entries(for: #require(HTTPURL("http://example.com/a"))).isEmpty)
        _ = try await rig.get()
        let third = try await Got(rig.send(options: options))
        #expect(rig.transport.requests.count == 3)
        #expect(first.record.outcome == .passedThrough)
        #expect(CacheStatus.parse(third.cacheStatus)?.last?.forwardReason == .bypass)
    }

    @Test("while the cache is switched off every request goes to the network")
    func switchesOff() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        _ = try await rig.get()
        rig.accelerator.setEnabled(false)
        _ = try await rig.get()
        #expect(rig.transport.requests.count == 2)
        rig.accelerator.setEnabled(true)
        _ = try await rig.get()
        #expect(rig.transport.requests.count == 2)
    }

    @Test("explain tells the decision and sends nothing")
    func explains() async throws {
        let rig = try Rig { _ in .text("hello", Self.fresh) }
        let url = try #require(HTTPURL("http://example.com/a"))
        #expect(rig.accelerator.explain(HTTPRequest(url: url)).action == .forward(.uriMiss))
        #expect(rig.accelerator.explain(HTTPRequest(method: .post, url: url)).action == .forward(.method))
        _ = try await rig.get()
        let entry = try #require(try rig.store.entries(for: url).first)
        #expect(rig.accelerator.explain(HTTPRequest(url: url)).action == .serve(entryID: entry.id))
        #expect(rig.transport.requests.count == 1)
    }
}
