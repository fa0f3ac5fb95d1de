import ControlModel
import ControlPlane
import Foundation
import TestSupport
import Testing

@testable import ControlPlane

@Suite("Administrators")
struct AdministratorTests {
    @Test("sign in with the right password, use the session until it expires")
    func signIn() async throws {
        let server = try await TestServer()
        #expect(try await !server.plane.hasAdministrators())
        try await server.plane.setAdministrator(name: "ada", password: "correct horse")
        #expect(try await server.plane.hasAdministrators())
        let (token, session) = try await server.plane.signIn(name: " ada ", password: "correct horse")
        #expect(session.administrator == "ada")
        #expect(session.formToken != token)
        #expect(try await server.plane.session(token: token) == session)
        #expect(try await server.plane.session(token: token + "x") == nil)
        server.timekeeper.advance(by: .seconds(12 * 3_600 - 1))
        #expect(try await server.plane.session(token: token) != nil)
        server.timekeeper.advance(by: .seconds(1))
        #expect(try await server.plane.session(token: token) == nil)
    }

    @Test("sign out ends the session, and so does a new password")
    func sessionsEnd() async throws {
        let server = try await TestServer()
        try await server.plane.setAdministrator(name: "ada", password: "first password")
        let first = try await server.plane.signIn(name: "ada", password: "first password").token
        try await server.plane.signOut(token: first)
        #expect(try await server.plane.session(token: first) == nil)
        let second = try await server.plane.signIn(name: "ada", password: "first password").token
        try await server.plane.setAdministrator(name: "ada", password: "second password")
        #expect(try await server.plane.session(token: second) == nil)
        await expectProblem(401, "sign-in-failed") {
            try await server.plane.signIn(name: "ada", password: "first password")
        }
    }

    @Test("a wrong name and a wrong password are refused alike")
    func refusedAlike() async throws {
        let server = try await TestServer()
        try await server.plane.setAdministrator(name: "ada", password: "correct horse")
        await expectProblem(401, "sign-in-failed") { try await server.plane.signIn(name: "ada", password: "wrong") }
        await expectProblem(401, "sign-in-failed") { try await server.plane.signIn(name: "bob", password: "wrong") }
        await expectProblem(401, "sign-in-failed") { try await server.plane.signIn(name: "bob", password: "") }
    }

    @Test("a short password and an empty name are not accepted")
    func unusable() async throws {
        let server = try await TestServer()
        await expectProblem(422, "invalid-password") {
            try await server.plane.setAdministrator(name: "ada", password: "1234567")
        }
        await expectProblem(422, "invalid-name") {
            try await server.plane.setAdministrator(name: "  ", password: "12345678")
        }
    }

    @Test("after ten failures the right password waits for a minute as well")
    func throttled() async throws {
        let server = try await TestServer()
        try await server.plane.setAdministrator(name: "ada", password: "correct horse")
        // Too long to be hashed, so that the test need not wait for the slow function.
        let guess = String(repeating: "x", count: 2_000)
        for _ in 0..<10 {
            await expectProblem(401, "sign-in-failed") { try await server.plane.signIn(name: "ada", password: guess) }
        }
        await expectProblem(429, "too-many-sign-ins") {
            try await server.plane.signIn(name: "ada", password: "correct horse")
        }
        server.timekeeper.advance(by: .seconds(61))
        _ = try await server.plane.signIn(name: "ada", password: "correct horse")
    }

    @Test("the throttle counts within a minute, per name, and forgets the quietest beyond its bound")
    func throttle() {
        var throttle = SignInThrottle()
        for second in 0..<9 { throttle.failed("ada", at: .seconds(second)) }
        #expect(throttle.wait(for: "ada", at: .seconds(9)) == nil)
        // The first has fallen out of the window by now.
        throttle.failed("ada", at: .seconds(60))
        #expect(throttle.wait(for: "ada", at: .seconds(60)) == nil)
        throttle.failed("ada", at: .seconds(60.5))
        #expect(throttle.wait(for: "ada", at: .seconds(61)) == .seconds(59.5))
        #expect(throttle.wait(for: "bob", at: .seconds(61)) == nil)
        for index in 0..<SignInThrottle.namesMax { throttle.failed("\(index)", at: .seconds(70)) }
        #expect(throttle.wait(for: "ada", at: .seconds(70)) == nil)
    }
}
