import Acceleration
import Foundation
import HTTPCaching
import HTTPModel
import Primitives
import Testing
import Transport
import Wire

@Suite("Rules of the app about its requests")
struct RequestRulesTests {
    private static let url = "https://example.com/a"

    /// An engine on a network that answers with what may be stored.
    private func rig(_ rules: RequestRules) throws -> Rig {
        let rig = try Rig { request in
            request.request.url.path == "/moved"
                ? .text("moved", status: 302, [.location: "https://else.test/a"])
                : .text("fresh", [.cacheControl: "max-age=60"])
        }
        rig.accelerator.setRules(rules)
        return rig
    }

    @Test("hosts are taken by exact name in any case; addresses with and without brackets")
    func hosts() {
        let only = RequestRules(hosts: .only(["Example.com", "[2001:DB8::1]"]))
        let except = RequestRules(hosts: .except(["Example.com", "[2001:DB8::1]"]))
        for (host, isNamed) in [
            ("example.com", true), ("EXAMPLE.com", true), ("www.example.com", false), ("com", false), ("", false),
            ("2001:db8::1", true), ("[2001:db8::1]", true),
        ] {
            #expect(only.takes(method: "GET", host: host) == isNamed)
            #expect(except.takes(method: "GET", host: host) == !isNamed)
            #expect(RequestRules().takes(method: "GET", host: host))
        }
    }

    @Test("methods are ignored in any case, OPTIONS unless told")
    func methods() {
        #expect(!RequestRules().takes(method: "OPTIONS", host: "a"))
        #expect(!RequestRules().takes(method: "options", host: "a"))
        #expect(RequestRules().takes(method: "PUT", host: "a"))
        #expect(RequestRules(ignoredMethods: []).takes(method: "OPTIONS", host: "a"))
        #expect(!RequestRules(ignoredMethods: ["put"]).takes(method: "PUT", host: "a"))
    }

    @Test(
        "what is not taken neither comes from the store nor goes there",
        arguments: [
            RequestRules(ignoredMethods: ["get"]), RequestRules(hosts: .except(["EXAMPLE.com"])),
            RequestRules(hosts: .only(["else.test"])),
        ])
    func bypass(rules: RequestRules) async throws {
        let rig = try rig(rules)
        for _ in 0..<2 {
            let got = try await rig.get(Self.url)
            #expect(got.text == "fresh")
            #expect(got.record.outcome == .passedThrough)
        }
        let request = HTTPRequest(url: try #require(HTTPURL(Self.url)))
        #expect(rig.accelerator.explain(request).action == .forward(.bypass))
        #expect(rig.accelerator.sendFromStore(request) == nil)
        #expect(rig.transport.requests.count == 2)
        // From the next request on.
        rig.accelerator.setRules(RequestRules())
        _ = try await rig.get(Self.url)
        #expect(try await rig.get(Self.url).record.outcome == .cacheHit)
        #expect(rig.transport.requests.count == 3)
        // What is stored is not used once the host is not taken any more.
        rig.accelerator.setRules(rules)
        #expect(try await rig.get(Self.url).record.outcome == .passedThrough)
        #expect(rig.transport.requests.count == 4)
    }

    @Test("a redirect to a host that is not taken is followed past the cache, and the other way round")
    func redirectedHosts() async throws {
        let rig = try rig(RequestRules(hosts: .except(["else.test"])))
        for _ in 0..<2 { #expect(try await rig.get("https://example.com/moved").text == "fresh") }
        let hosts = ["example.com", "else.test", "example.com", "else.test"]
        #expect(rig.transport.requests.map(\.request.url.host) == hosts)
        rig.accelerator.setRules(RequestRules(hosts: .only(["else.test"])))
        for _ in 0..<2 { #expect(try await rig.get("https://example.com/moved").text == "fresh") }
        let more = rig.transport.requests.dropFirst(4).map(\.request.url.host)
        #expect(more == ["example.com", "else.test", "example.com"])
    }

    @Test("when redirects are not followed the 3xx is the answer, whatever the call's own options say")
    func redirects() async throws {
        let rig = try rig(RequestRules(followsRedirects: false))
        let got = try await rig.get("https://example.com/moved")
        #expect(got.response.status == 302)
        #expect(got.text == "moved")
        #expect(got.redirects.isEmpty)
    }

    @Test(
        "the SDK's name goes behind the app's own User-Agent",
        arguments: [
            ("App/1 (x)", "App/1 (x) Larder/9"), ("", "Larder/9"), ("App/1 Larder/9", "App/1 Larder/9"), (nil, nil),
        ])
    func userAgent(own: String?, sent: String?) async throws {
        let rig = try rig(RequestRules(userAgentToken: "Larder/9"))
        var fields = HTTPFields()
        if let own { fields.append(.userAgent, own) }
        _ = try await rig.get(Self.url, fields)
        #expect(rig.transport.requests.first?.request.fields[.userAgent] == sent)
        // The second answer is a hit all the same.
        _ = try await rig.get(Self.url, fields)
        #expect(rig.transport.requests.count == 1)
    }

    @Test("requests that are passed on for another program are not changed")
    func proxied() async throws {
        let rig = try rig(
            RequestRules(
                followsRedirects: false, ignoredMethods: ["GET"], hosts: .only([]), userAgentToken: "Larder/9"))
        var options = RequestOptions()
        options.isProxied = true
        for _ in 0..<2 {
            _ = try await Got(rig.send(Self.url, .get, [.userAgent: "App/1"], options: options))
        }
        #expect(rig.transport.requests.count == 1)
        #expect(rig.transport.requests.first?.request.fields[.userAgent] == "App/1")
    }

    @Test("the network is told what was asked for first, through redirects, and identical requests still share a fetch")
    func originalRequest() async throws {
        let rig = try rig(RequestRules())
        _ = try await rig.get("https://example.com/moved")
        let requests = rig.transport.requests
        #expect(requests.map(\.originalRequest?.url.string) == [nil, "https://example.com/moved"])
        #expect(requests.map(\.request.url.string) == ["https://example.com/moved", "https://else.test/a"])

        let door = Door()
        rig.transport.answer { _ in
            await door.pass()
            return .text("shared", [.cacheControl: "max-age=60"])
        }
        let url = try #require(HTTPURL("https://example.com/shared"))
        let answers = (0..<4).map { number in
            Task { [accelerator = rig.accelerator] in
                var options = RequestOptions()
                options.originalRequest = HTTPRequest(url: HTTPURL("https://app.test/\(number)") ?? url)
                return try await accelerator.send(HTTPRequest(url: url), options: options).body.collect()
            }
        }
        await eventually("all are on their way") { rig.gate.isBusy && rig.transport.requests.count == 3 }
        door.open()
        for answer in answers { #expect(try await answer.value == Data("shared".utf8)) }
        #expect(rig.transport.requests.count == 3)
    }
}
