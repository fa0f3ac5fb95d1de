import Acceleration
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport
import Wire

@Suite("Following redirects")
struct RedirectTests {
    private static let start = "https://example.com/start"

    /// A network on which one path redirects to a location, and everything else answers.
    private func rig(_ status: Int, to location: String, fields: HTTPFields = [:]) throws -> Rig {
        try Rig { request in
            guard request.request.url.string == Self.start else {
                return .text("end", [.cacheControl: "max-age=60"])
            }
            var fields = fields
            fields[.location] = location
            return .text("moved", status: status, fields)
        }
    }

    @Test("the answer is the last response; each one before it is told, and recorded as an exchange of its own")
    func follows() async throws {
        let rig = try rig(302, to: "/end?secret=1")
        let answer = try await rig.send(Self.start)
        #expect(answer.url.string == "https://example.com/end?secret=1")
        #expect(answer.redirects.map(\.status) == [302])
        let got = try await Got(answer)
        #expect(got.text == "end")
        #expect(rig.records.map(\.status) == [302, 200])
        #expect(rig.records.map(\.url) == [Self.start, "https://example.com/end"])
        #expect(rig.records.map(\.wireByteCount) == [1_000, 1_000])
        #expect(rig.records.allSatisfy { $0.errorCode == nil })
        #expect(!rig.gate.isBusy)
    }

    @Test("each hop is decided on its own: what is stored needs no network")
    func cachesHops() async throws {
        let rig = try rig(301, to: "/end", fields: [.cacheControl: "max-age=60"])
        _ = try await rig.get(Self.start)
        let again = try await rig.get(Self.start)
        #expect(again.text == "end")
        #expect(again.record.outcome == .cacheHit)
        #expect(rig.transport.requests.count == 2)
    }

    @Test("when asked not to follow, the 3xx is the answer")
    func handsOver() async throws {
        let rig = try rig(302, to: "/end")
        var options = RequestOptions()
        options.followsRedirects = false
        let got = try await Got(rig.send(Self.start, options: options))
        #expect(got.response.status == 302)
        #expect(got.text == "moved")
    }

    @Test("ten are followed, and the eleventh is the answer")
    func stopsAtTen() async throws {
        let rig = try Rig { request in .text("", status: 302, [.location: request.request.url.string + "x"]) }
        let got = try await rig.get("https://example.com/")
        #expect(got.response.status == 302)
        #expect(got.redirects.count == 10)
        #expect(rig.transport.requests.count == 11)
    }

    @Test(
        "303, and 301 and 302 after POST, lead to a GET without the body",
        arguments: [(301, "POST"), (302, "POST"), (303, "POST"), (303, "PUT")])
    func becomesGet(status: Int, method: String) async throws {
        let rig = try rig(status, to: "/end")
        let fields: HTTPFields = [.contentType: "text/plain", "X-Kept": "yes"]
        let method = try #require(HTTPMethod(rawValue: method))
        _ = try await Got(rig.send(Self.start, method, fields, body: .data(Data("body".utf8))))
        let last = try #require(rig.transport.requests.last)
        #expect(last.request.method == .get)
        #expect(last.body == nil)
        #expect(!last.request.fields.contains(.contentType))
        #expect(last.request.fields["X-Kept"] == "yes")
    }

    @Test("307 and 308 keep method and body", arguments: [307, 308])
    func keepsMethod(status: Int) async throws {
        let rig = try rig(status, to: "/end")
        _ = try await Got(rig.send(Self.start, .post, body: .data(Data("body".utf8))))
        let last = try #require(rig.transport.requests.last)
        #expect(last.request.method == .post)
        guard case .data(let data) = last.body else {
            Issue.record("the body is missing")
            return
        }
        #expect(data == Data("body".utf8))
    }

    @Test("a body that cannot be sent twice is not: the 307 is the answer")
    func cannotReplay() async throws {
        let rig = try rig(307, to: "/end")
        let body = RequestBody.stream(ByteStream(Data("once".utf8)), byteCount: nil)
        #expect(try await Got(rig.send(Self.start, .post, body: body)).response.status == 307)
    }

    @Test("secrets stay with their origin")
    func dropsSecrets() async throws {
        let secrets: HTTPFields = [.authorization: "Bearer x", .cookie: "a=b", "X-App": "1"]
        let away = try rig(302, to: "https://other.example/end")
        _ = try await away.get(Self.start, secrets)
        let sent = try #require(away.transport.requests.last).request.fields
        #expect(!sent.contains(.authorization))
        #expect(!sent.contains(.cookie))
        #expect(sent["X-App"] == "1")
        let home = try rig(302, to: "/end")
        _ = try await home.get(Self.start, secrets)
        #expect(home.transport.requests.last?.request.fields[.authorization] == "Bearer x")
    }

    @Test(
        "a redirect that cannot or must not be followed is the answer",
        arguments: ["http://example.com/end", "ftp://example.com/", "javascript:alert(1)"])
    func refuses(location: String) async throws {
        let rig = try rig(302, to: location)
        let got = try await rig.get(Self.start)
        #expect(got.response.status == 302)
        #expect(got.text == "moved")
        #expect(rig.transport.requests.count == 1)
    }

    @Test("the time allowed is for all hops together")
    func limitsTime() async throws {
        let rig = try rig(302, to: "/end")
        rig.transport.answer { [rig] _ in
            rig.time.advance(by: .seconds(6))
            return .text("", status: 302, [.location: "/next"])
        }
        var options = RequestOptions()
        options.totalTimeout = .seconds(10)
        let error = await #expect(throws: TransportError.self) { try await rig.send(Self.start, options: options) }
        #expect(error?.code == .timedOut)
        #expect(rig.transport.requests.map(\.totalTimeout) == [.seconds(10), .seconds(4)])
        #expect(!rig.gate.isBusy)
    }

    @Test("cancelling between hops ends the request")
    func cancels() async throws {
        let rig = try rig(302, to: "/end")
        let body = ScriptedBody()
        rig.transport.answer { _ in
            .init(status: 302, fields: [.location: "/end"], body: ByteStream(body))
        }
        let task = Task { try await rig.get(Self.start) }
        await eventually("the redirect comes") { rig.transport.requests.count == 1 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await eventually("the gate is idle") { !rig.gate.isBusy }
    }
}
