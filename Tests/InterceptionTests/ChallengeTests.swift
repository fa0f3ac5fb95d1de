import Foundation
import HTTPModel
import Primitives
import Testing

@testable import Interception

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers 401 with a challenge until the right `Authorization` comes.
private func guardedEngine(_ challenge: String, accepts authorization: String? = nil) -> FakeEngine {
    FakeEngine { asked in
        if let authorization, asked.request.fields[.authorization] == authorization {
            return (HTTPResponse(status: 200), ByteStream(Data("welcome".utf8)))
        }
        return (
            HTTPResponse(status: 401, fields: [.wwwAuthenticate: challenge]), ByteStream(Data("who are you?".utf8))
        )
    }
}

private let basic = "Basic realm=\"door\""
private let annPw = "Basic YW5uOnB3"

extension InterceptionSuite {
    @Suite(.timeLimit(.minutes(1))) struct Challenges {
        @Test(
            "gives the app a 401 that nobody can answer, whatever its challenge", arguments: Form.allCases,
            [
                basic, "Basic realm=x", "basic", "Bearer realm=\"x\"", "Digest realm=\"x\", nonce=\"1\"", "Negotiate",
                "Negotiate, Basic realm=\"x\"", "Bearer realm=\"a, b\", Basic realm=\"x\", Digest realm=\"y\"", "",
            ])
        func unanswered(form: Form, challenge: String) async throws {
            let delegate = RecordingDelegate()
            try await withInterception(guardedEngine(challenge), delegate: delegate) { session in
                let loaded = try await session.load(appRequest(), form: form, delegate: delegate)
                #expect(loaded.response.statusCode == 401)
                #expect(loaded.text == "who are you?")
                #expect(loaded.response.value(forHTTPHeaderField: "WWW-Authenticate")?.hasSuffix(challenge) == true)
            }
        }

        @Test("gives a 401 without any challenge", arguments: Form.allCases)
        func withoutChallenge(form: Form) async throws {
            let delegate = RecordingDelegate()
            let engine = FakeEngine { _ in (HTTPResponse(status: 401), ByteStream.empty) }
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(appRequest(), form: form, delegate: delegate)
                #expect(loaded.response.statusCode == 401)
            }
        }

        @Test("asks the delegate for a credential and sends the request again with it", arguments: Form.allCases)
        func delegateCredential(form: Form) async throws {
            let delegate = RecordingDelegate { challenge in
                #expect(challenge.protectionSpace.realm == "door")
                #expect(challenge.protectionSpace.host == "app.test")
                #expect(challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
                return (.useCredential, URLCredential(user: "ann", password: "pw", persistence: .none))
            }
            let engine = guardedEngine(basic, accepts: annPw)
            try await withInterception(engine, delegate: delegate) { session in
                let loaded = try await session.load(
                    appRequest("/", method: "POST"), .upload(Data("again".utf8)), form: form, delegate: delegate)
                #expect(loaded.text == "welcome")
                #expect(delegate.record.challenges == 1)
                #expect(engine.asked.map(\.body) == [Data("again".utf8), Data("again".utf8)])
            }
        }

        @Test("answers with a stored credential when there is no delegate")
        func storedCredential() async throws {
            let space = URLProtectionSpace(
                host: "app.test", port: 80, protocol: "http", realm: "door",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            let credential = URLCredential(user: "ann", password: "pw", persistence: .forSession)
            try await withInterception(guardedEngine(basic, accepts: annPw)) { session in
                let storage = try #require(session.configuration.urlCredentialStorage)
                storage.setDefaultCredential(credential, for: space)
                defer { storage.remove(credential, for: space) }
                #expect(try await session.load(appRequest(), form: .completion).text == "welcome")
            }
        }

        @Test("does not offer a stored credential twice")
        func wrongStoredCredential() async throws {
            let space = URLProtectionSpace(
                host: "app.test", port: 80, protocol: "http", realm: "door",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            let credential = URLCredential(user: "eve", password: "pw", persistence: .forSession)
            let engine = guardedEngine(basic, accepts: annPw)
            try await withInterception(engine) { session in
                let storage = try #require(session.configuration.urlCredentialStorage)
                storage.setDefaultCredential(credential, for: space)
                defer { storage.remove(credential, for: space) }
                let loaded = try await session.load(appRequest(), form: .completion)
                #expect(loaded.response.statusCode == 401)
                #expect(engine.asked.count == 2)
            }
        }

        @Test("fails the task when the delegate cancels the challenge", arguments: Form.allCases)
        func cancelled(form: Form) async throws {
            let delegate = RecordingDelegate { _ in (.cancelAuthenticationChallenge, nil) }
            try await withInterception(guardedEngine(basic), delegate: delegate) { session in
                let error = await #expect(throws: URLError.self) {
                    try await session.load(appRequest(), form: form, delegate: delegate)
                }
                #expect(error?.code == .cancelled)
            }
        }

        @Test("gives up on a delegate that keeps offering what is refused")
        func stubborn() async throws {
            let delegate = RecordingDelegate { _ in
                (.useCredential, URLCredential(user: "eve", password: "x", persistence: .none))
            }
            try await withInterception(guardedEngine(basic), delegate: delegate) { session in
                let loaded = try await session.load(appRequest(), form: .delegate, delegate: delegate)
                #expect(loaded.response.statusCode == 401)
                #expect(delegate.record.challenges == 20)
            }
        }

        @Test(
            "finds the realm of the Basic challenge among others",
            arguments: [
                ("Basic realm=\"a\"", "a"), ("basic REALM = b", "b"), ("Basic charset=\"UTF-8\", realm=\"c\"", "c"),
                ("Bearer x=\"1, Basi\", Basic realm=\"d \\\"q\\\"\"", "d \"q\""), ("Negotiate, Basic realm=\"\"", ""),
                ("Digest realm=\"e\"", nil), ("Basic", nil), ("XBasic realm=\"f\"", nil),
            ])
        func realm(challenge: String, realm: String?) {
            #expect(Challenger.basicRealm(in: [.wwwAuthenticate: challenge]) == realm)
        }
    }
}
