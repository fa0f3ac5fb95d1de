import Acceleration
import Foundation
import HTTPModel
import Interception
import Primitives
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Redirects `/from…` with the status in the query, answers everything else with what arrived.
private func redirectingEngine(to location: String = "/to", status: Int) -> FakeEngine {
    FakeEngine { asked in
        if asked.request.url.path == "/from" {
            return (
                HTTPResponse(status: status, fields: ["Location": location]), ByteStream(Data("moved".utf8))
            )
        }
        let text =
            "\(asked.request.method) \(asked.request.url) " + String(decoding: asked.body ?? Data(), as: UTF8.self)
        return (HTTPResponse(status: 200), ByteStream(Data(text.utf8)))
    }
}

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(1))) struct Redirects {
        @Test("follows redirects and gives the final URL", arguments: Form.allCases, [301, 302, 303, 307, 308])
        func follows(form: Form, status: Int) async throws {
            let delegate = RecordingDelegate()
            let engine = redirectingEngine(to: "http://other.test/to?x=1", status: status)
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(appRequest("/from"), form: form, delegate: delegate)
                #expect(loaded.text == "GET http://other.test/to?x=1 ")
                #expect(loaded.response.url?.absoluteString == "http://other.test/to?x=1")
                #expect(engine.asked.allSatisfy { !$0.options.followsRedirects })
                #expect(delegate.record.redirects.map(\.url?.host) == ["other.test"])
            }
        }

        @Test(
            "keeps or drops method and body as the status says",
            arguments: [(301, "GET", ""), (302, "GET", ""), (303, "GET", ""), (307, "POST", "b"), (308, "POST", "b")])
        func method(status: Int, method: String, body: String) async throws {
            try await withInterception(redirectingEngine(status: status)) { session in
                for payload in [Payload.httpBody(Data("b".utf8)), .upload(Data("b".utf8))] {
                    let loaded = try await session.load(
                        appRequest("/from", method: "POST"), payload, form: .completion)
                    #expect(loaded.text == "\(method) http://app.test/to \(body)")
                }
            }
        }

        @Test("gives the redirect itself to the app whose delegate declines it", arguments: Form.allCases)
        func declined(form: Form) async throws {
            let delegate = RecordingDelegate(followsRedirects: false)
            try await withInterception(redirectingEngine(status: 302), delegate: delegate) { session in
                let loaded = try await session.load(appRequest("/from"), form: form, delegate: delegate)
                #expect(loaded.response.statusCode == 302)
                #expect(loaded.text == "moved")
            }
        }

        @Test(
            "gives the redirect itself to an app that wants none followed, whatever its delegate says",
            arguments: Form.allCases)
        func notFollowed(form: Form) async throws {
            let delegate = RecordingDelegate()
            let engine = redirectingEngine(status: 302)
            engine.setRules(RequestRules(followsRedirects: false))
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(appRequest("/from"), form: form, delegate: delegate)
                #expect(loaded.response.statusCode == 302)
                #expect(loaded.response.value(forHTTPHeaderField: "Location") == "/to")
                #expect(loaded.text == "moved")
                #expect(delegate.record.redirects.isEmpty)
            }
            // From the next request on.
            engine.setRules(RequestRules())
            try await withInterception(engine) { session in
                let loaded = try await session.load(appRequest("/from"), form: .completion)
                #expect(loaded.response.statusCode == 200)
            }
        }

        @Test("tells the engine what the task asked for first")
        func original() async throws {
            let engine = redirectingEngine(to: "http://other.test/to", status: 302)
            try await withInterception(engine) { session in
                _ = try await session.load(appRequest("/from"), form: .completion)
                #expect(engine.asked.first?.options.originalRequest == nil)
                #expect(engine.asked.last?.options.originalRequest?.url.string == "http://app.test/from")
            }
        }

        @Test("does not take credentials and cookies to another origin")
        func credentials() async throws {
            let engine = redirectingEngine(to: "http://other.test/to", status: 302)
            try await withInterception(engine) { session in
                var request = appRequest("/from")
                request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
                request.setValue("a=b", forHTTPHeaderField: "Cookie")
                request.setValue("kept", forHTTPHeaderField: "X-Other")
                _ = try await session.load(request, form: .completion)
                let fields = try #require(engine.asked.last?.request.fields)
                #expect(fields[.authorization] == nil)
                #expect(fields[.cookie] == nil)
                #expect(fields["X-Other"] == "kept")
            }
        }

        @Test("gives a redirect without a place as it is", arguments: Form.allCases)
        func withoutLocation(form: Form) async throws {
            let delegate = RecordingDelegate()
            let engine = FakeEngine { _ in (HTTPResponse(status: 302), ByteStream(Data("where?".utf8))) }
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(appRequest(), form: form, delegate: delegate)
                #expect(loaded.response.statusCode == 302)
                #expect(loaded.text == "where?")
            }
        }

        @Test("ends a circle of redirects after twenty", arguments: Form.allCases)
        func circle(form: Form) async throws {
            let delegate = RecordingDelegate()
            let engine = redirectingEngine(to: "/from", status: 302)
            try await withInterception(engine, delegate: delegate) { session in
                let error = await #expect(throws: URLError.self) {
                    try await session.load(appRequest("/from"), form: form, delegate: delegate)
                }
                #expect(error?.code == .httpTooManyRedirects)
                #expect(engine.asked.count == 21)
            }
        }

        @Test("refuses a redirect to another scheme")
        func scheme() async throws {
            try await withInterception(redirectingEngine(to: "file:///etc/passwd", status: 302)) { session in
                let error = await #expect(throws: URLError.self) {
                    try await session.load(appRequest("/from"), form: .completion)
                }
                #expect(error?.code == .unsupportedURL)
            }
        }
    }
}
