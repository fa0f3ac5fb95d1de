import Acceleration
import Foundation
import HTTPModel
import Interception
import Primitives
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(1))) struct Settings {
        private func storage(of session: URLSession) throws -> HTTPCookieStorage {
            let storage = try #require(session.configuration.httpCookieStorage)
            for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
            return storage
        }

        @Test("stores every cookie that a response sets and sends them with the next request")
        func cookies() async throws {
            let engine = FakeEngine { _ in
                var fields = HTTPFields()
                fields.append(.setCookie, "a=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT; Path=/")
                fields.append(.setCookie, "b=2; Path=/")
                return (HTTPResponse(status: 200, fields: fields), ByteStream.empty)
            }
            try await withInterception(engine) { session in
                let storage = try storage(of: session)
                _ = try await session.load(appRequest("/1"), form: .completion)
                #expect(Set((storage.cookies ?? []).map(\.name)) == ["a", "b"])
                _ = try await session.load(appRequest("/2"), form: .completion)
                let sent = try #require(engine.asked.last?.request.fields[.cookie])
                #expect(Set(sent.split(separator: "; ")) == ["a=1", "b=2"])
                for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
            }
        }

        @Test("sends a cookie that a redirect set to where the redirect points")
        func redirectCookies() async throws {
            let engine = FakeEngine { asked in
                guard asked.request.url.path == "/from" else { return (HTTPResponse(status: 200), ByteStream.empty) }
                return (
                    HTTPResponse(status: 302, fields: [.location: "/to", .setCookie: "hop=1; Path=/"]), ByteStream.empty
                )
            }
            try await withInterception(engine) { session in
                let storage = try storage(of: session)
                _ = try await session.load(appRequest("/from"), form: .completion)
                #expect(engine.asked.last?.request.fields[.cookie] == "hop=1")
                for cookie in storage.cookies ?? [] { storage.deleteCookie(cookie) }
            }
        }

        @Test("stores no cookies when the session accepts none")
        func cookiesNever() async throws {
            let engine = FakeEngine { _ in
                (HTTPResponse(status: 200, fields: [.setCookie: "a=1; Path=/"]), ByteStream.empty)
            }
            try await withInterception(engine, configure: { $0.httpCookieAcceptPolicy = .never }) { session in
                let storage = try storage(of: session)
                _ = try await session.load(appRequest("/1"), form: .completion)
                #expect(storage.cookies?.isEmpty != false)
            }
        }

        @Test("adds the configuration's fields, which the request's own override")
        func additionalFields() async throws {
            let engine = FakeEngine()
            let configure = { (configuration: URLSessionConfiguration) in
                configuration.httpAdditionalHeaders = ["X-App": "session", "X-Both": "session"]
            }
            try await withInterception(engine, configure: configure) { session in
                var request = appRequest()
                request.setValue("request", forHTTPHeaderField: "x-both")
                _ = try await session.load(request, form: .completion)
                let fields = try #require(engine.asked.first?.request.fields)
                #expect(fields["X-App"] == "session")
                #expect(fields["X-Both"] == "request")
            }
        }

        @Test("takes the request's time limit, else the configuration's")
        func timeouts() async throws {
            let engine = FakeEngine()
            let configure = { (configuration: URLSessionConfiguration) in
                configuration.timeoutIntervalForRequest = 7
                configuration.timeoutIntervalForResource = 90
            }
            try await withInterception(engine, configure: configure) { session in
                _ = try await session.load(appRequest(), form: .completion)
                var request = appRequest()
                request.timeoutInterval = 2.5
                _ = try await session.load(request, form: .completion)
                #expect(engine.asked.map(\.options.idleTimeout) == [.seconds(7), .milliseconds(2_500)])
                #expect(engine.asked.map(\.options.totalTimeout) == [.seconds(90), .seconds(90)])
            }
        }

        @Test("asks the cache as the request's cache policy says")
        func cachePolicy() async throws {
            let engine = FakeEngine()
            try await withInterception(engine) { session in
                var request = appRequest()
                request.cachePolicy = .returnCacheDataDontLoad
                _ = try await session.load(request, form: .completion)
                #expect(engine.asked.first?.request.fields[.cacheControl]?.contains("only-if-cached") == true)
            }
        }
    }
}
