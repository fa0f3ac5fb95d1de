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

@Suite("Validating and falling back")
struct ValidationTests {
    private static let url = "http://example.com/a"
    private static let tagged: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"1\""]

    @Test("a stale entry that the origin confirms is served, and is fresh again")
    func confirms() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", Self.tagged)
        rig.time.advance(by: .seconds(100))
        rig.transport.answer { request in
            #expect(request.request.fields[.ifNoneMatch] == "\"1\"")
            return .text("", status: 304, [.eTag: "\"1\"", .cacheControl: "max-age=60", "X-New": "yes"])
        }
        let confirmed = try await rig.get()
        #expect(confirmed.text == "stored")
        #expect(confirmed.response.status == 200)
        #expect(confirmed.response.fields["X-New"] == "yes")
        #expect(confirmed.record.outcome == .revalidated)
        #expect(confirmed.record.wireByteCount == 1_000)
        let status = CacheStatus.parse(confirmed.cacheStatus)?.last
        #expect(status?.forwardReason == .stale)
        #expect(status?.forwardStatus == 304)
        let hit = try await rig.get()
        #expect(hit.record.outcome == .cacheHit)
        #expect(hit.response.fields["X-New"] == "yes")
        #expect(rig.transport.requests.count == 2)
    }

    @Test("a new response to a validation replaces the entry")
    func replaces() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("old", Self.tagged)
        rig.time.advance(by: .seconds(100))
        rig.transport.answer { _ in .text("new", [.cacheControl: "max-age=60", .eTag: "\"2\""]) }
        let replaced = try await rig.get()
        #expect(replaced.text == "new")
        #expect(replaced.record.outcome == .miss)
        #expect(CacheStatus.parse(replaced.cacheStatus)?.last?.forwardReason == .stale)
        #expect(try await rig.get().text == "new")
        #expect(rig.transport.requests.count == 2)
    }

    @Test("stale requests that come together share one validation")
    func sharesValidation() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", Self.tagged)
        rig.time.advance(by: .seconds(100))
        let door = Door()
        rig.transport.answer { _ in
            await door.pass()
            return .text("", status: 304, [.eTag: "\"1\"", .cacheControl: "max-age=60"])
        }
        let got = try await withThrowingTaskGroup(of: Got.self) { group in
            for _ in 0..<20 { group.addTask { try await rig.get() } }
            await eventually("the validation goes out") { rig.transport.requests.count == 2 }
            door.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(rig.transport.requests.count == 2)
        #expect(got.allSatisfy { $0.text == "stored" })
        #expect(got.reduce(0) { $0 + $1.record.wireByteCount } == 1_000)
    }

    @Test("a 304 that is about another response is answered by a plain request")
    func doubtsConfirmation() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("old", Self.tagged)
        rig.time.advance(by: .seconds(100))
        rig.transport.answer { request in
            request.request.fields.contains(.ifNoneMatch)
                ? .text("", status: 304, [.eTag: "\"9\""]) : .text("whole", [.cacheControl: "max-age=60"])
        }
        #expect(try await rig.get().text == "whole")
        #expect(rig.transport.requests.count == 3)
    }

    @Test("stale-if-error lets a stored response stand in for a failing origin", arguments: [500, 502, 503, 504])
    func standsIn(status: Int) async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", [.cacheControl: "max-age=60, stale-if-error=600", .eTag: "\"1\""])
        rig.time.advance(by: .seconds(100))
        rig.transport.answer { _ in .text("sorry", status: status) }
        let got = try await rig.get()
        #expect(got.text == "stored")
        #expect(got.response.status == 200)
        #expect(got.record.outcome == .staleOnError)
        #expect(got.record.wireByteCount == 1_000)
        #expect(CacheStatus.parse(got.cacheStatus)?.last?.forwardStatus == status)
    }

    @Test("without such leave the origin's error is the answer")
    func passesError() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", [.cacheControl: "max-age=60, must-revalidate", .eTag: "\"1\""])
        rig.time.advance(by: .seconds(100))
        rig.transport.answer { _ in .text("sorry", status: 503) }
        let got = try await rig.get()
        #expect(got.text == "sorry")
        #expect(got.response.status == 503)
    }

    @Test("pre-positioned content stands in for an origin that cannot be reached")
    func servesPinnedOffline() async throws {
        let rig = try Rig { _ in throw TransportError(.nameNotResolved, "no network") }
        try rig.pin(Self.url, "ahead", holder: "news@1", [.cacheControl: "max-age=1, must-revalidate"])
        rig.time.advance(by: .seconds(1_000))
        let got = try await rig.get()
        #expect(got.text == "ahead")
        #expect(got.record.outcome == .staleOnError)
        #expect(got.record.wireByteCount == 0)
        #expect(got.record.segments == ["news"])
    }

    @Test("a server that cannot prove who it is gets nothing stored served in its name")
    func refusesUntrusted() async throws {
        let rig = try Rig { _ in throw TransportError(.certificateRejected, "who are you") }
        try rig.pin(Self.url, "ahead", holder: "news@1", [.cacheControl: "max-age=1"])
        rig.time.advance(by: .seconds(1_000))
        let error = await #expect(throws: TransportError.self) { try await rig.get() }
        #expect(error?.code == .certificateRejected)
        #expect(rig.records.map(\.errorCode) == ["certificateRejected"])
        #expect(!rig.gate.isBusy)
    }

    @Test("stale-while-revalidate answers at once and validates once behind the answers")
    func validatesBehind() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("old", [.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"1\""])
        rig.time.advance(by: .seconds(100))
        let door = Door()
        rig.transport.answer { _ in
            await door.pass()
            return .text("new", [.cacheControl: "max-age=60", .eTag: "\"2\""])
        }
        for _ in 0..<5 {
            let got = try await rig.get()
            #expect(got.text == "old")
            #expect(got.record.outcome == .cacheHit)
        }
        await eventually("the validation goes out") { rig.transport.requests.count == 2 }
        let recordCount = rig.records.count
        door.open()
        let url = try #require(HTTPURL(Self.url))
        try await eventually("the new response is stored") {
            try rig.store.entries(for: url).first?.response.fields[.eTag] == "\"2\""
        }
        #expect(try await rig.get().text == "new")
        #expect(rig.transport.requests.count == 2)
        #expect(rig.records.count == recordCount + 1)  // the validation is no exchange of the app's
    }

    @Test("background validations end with the engine")
    func endsBackgroundWork() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("old", [.cacheControl: "max-age=60, stale-while-revalidate=600", .eTag: "\"1\""])
        rig.time.advance(by: .seconds(100))
        let isCancelled = Locked(false)
        rig.transport.answer { _ in
            do {
                try await Task.sleep(for: .seconds(3_600))  // ends by cancellation
            } catch {
                isCancelled.withLock { $0 = true }
                throw error
            }
            return .text("never")
        }
        _ = try await rig.get()
        await eventually("the validation goes out") { rig.transport.requests.count == 2 }
        rig.accelerator.cancelBackgroundWork()
        await eventually("it is cancelled") { isCancelled.withLock { $0 } }
        _ = try await rig.get()
        #expect(rig.transport.requests.count == 2)
    }

    @Test("an unsafe request that succeeds invalidates what is stored; one that fails does not", arguments: [204, 500])
    func invalidates(status: Int) async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", Self.tagged)
        rig.transport.answer { request in
            request.request.method == .post ? .text("", status: status) : .text("anew", Self.tagged)
        }
        let posted = try await Got(rig.send(Self.url, .post, body: .data(Data("x".utf8))))
        #expect(posted.record.outcome == .passedThrough)
        #expect(CacheStatus.parse(posted.cacheStatus)?.last?.forwardReason == .method)
        #expect(try await rig.get().text == (status == 204 ? "anew" : "stored"))
    }

    @Test("a HEAD response updates the entry it is about, and casts doubt on one it contradicts")
    func learnsFromHead() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", [.cacheControl: "max-age=60", .eTag: "\"1\""])
        rig.time.advance(by: .seconds(100))
        rig.transport.answer { _ in .text("", status: 200, [.eTag: "\"1\"", .cacheControl: "max-age=60"]) }
        _ = try await Got(rig.send(Self.url, .head, [.cacheControl: "no-cache"]))
        #expect(try await rig.get().record.outcome == .cacheHit)
        rig.transport.answer { _ in .text("new", status: 200, [.eTag: "\"2\"", .cacheControl: "max-age=60"]) }
        _ = try await Got(rig.send(Self.url, .head, [.cacheControl: "no-cache"]))
        #expect(try await rig.get().text == "new")
    }

    @Test("a range of a stored whole is answered from the store")
    func answersRange() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("0123456789", Self.tagged)
        let part = try await rig.get(Self.url, [.range: "bytes=2-5"])
        #expect(part.response.status == 206)
        #expect(part.text == "2345")
        #expect(part.response.fields[.contentRange] == "bytes 2-5/10")
        #expect(part.record.bodyByteCount == 4)
        let none = try await rig.get(Self.url, [.range: "bytes=50-"])
        #expect(none.response.status == 416)
        #expect(none.text.isEmpty)
        #expect(rig.transport.requests.count == 1)
    }

    @Test("no-cache on the request asks the origin though the entry is fresh")
    func asksOnWish() async throws {
        let rig = try Rig { _ in .text("") }
        try await rig.fill("stored", Self.tagged)
        rig.transport.answer { _ in .text("", status: 304, [.eTag: "\"1\""]) }
        let got = try await rig.get(Self.url, [.cacheControl: "no-cache"])
        #expect(got.text == "stored")
        #expect(CacheStatus.parse(got.cacheStatus)?.last?.forwardReason == .request)
    }
}
