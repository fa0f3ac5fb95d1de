public import ControlModel
import Cryptography
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ControlPlane {
    /// Makes an administrator or sets the password of one, whose sessions end.
    /// - Throws: a 422 problem unless the name has 1 to 64 characters and the password 8 to 256.
    public func setAdministrator(name: String, password: String) async throws {
        let name = try Validation.text(name, field: "name", of: 1...64)
        guard (8...256).contains(password.count), password.utf8.count <= 1_024 else {
            throw ProblemDocument.invalid("password", "A password must have 8 to 256 characters.")
        }
        let hash = try await hashing { Secrets.hash(password: password) }
        try await repository.save(Administrator(name: name, passwordHash: hash))
        try await repository.removeSessions(administrator: name)
    }

    /// Whether anyone can sign in.
    public func hasAdministrators() async throws -> Bool { try await !repository.administrators().isEmpty }

    /// Signs in; slow on purpose. Ten failures for a name in a minute shut it for a minute (429).
    /// - Returns: the secret token and the session.
    /// - Throws: a 401 problem that does not tell whether the name or the password was wrong; a 429 problem; a 503 problem
    ///   when too many wait to sign in.
    public func signIn(name: String, password: String) async throws -> (token: String, session: AdminSession) {
        let name = String(Validation.trimmed(name).prefix(64))
        try admitSignIn(of: name)
        let stored = try await repository.administrators().first { $0.name == name }?.passwordHash
        let isRight = try await hashing {
            guard password.utf8.count <= 1_024 else { return false }
            guard let stored else {
                // Costs as much as a real check, so that time does not tell which names exist.
                return Secrets.hash(password: password).isEmpty
            }
            return Secrets.isPassword(password, matching: stored)
        }
        guard isRight else {
            throw ProblemDocument.unauthorized(
                "sign-in-failed", "Sign-in failed",
                "The name or the password is wrong. Ten failures within a minute shut the name for a minute.")
        }
        throttle.withLock { $0.succeeded(name) }
        return try await beginSession(of: name)
    }

    /// Counts the attempt as a failure until it has succeeded, so that attempts side by side are counted as well.
    private func admitSignIn(of name: String) throws {
        let uptime = timekeeper.uptime
        let wait = throttle.withLock { throttle -> Duration? in
            if let wait = throttle.wait(for: name, at: uptime) { return wait }
            throttle.failed(name, at: uptime)
            return nil
        }
        if let wait {
            throw ProblemDocument.tooMany(
                "too-many-sign-ins", "Too many failed sign-ins",
                "Too many sign-ins failed for this name. Try again in \(wait.components.seconds + 1) seconds.")
        }
    }

    private func beginSession(of name: String) async throws -> (token: String, session: AdminSession) {
        let token = makeToken(40)
        let session = AdminSession(
            tokenDigest: digest(of: token), administrator: name, formToken: makeToken(40),
            expiresAt: now + Double(configuration.sessionSeconds))
        try await repository.save(session)
        return (token, session)
    }

    /// The session of a token; `nil` when unknown or expired.
    public func session(token: String) async throws -> AdminSession? {
        guard token.utf8.count <= 256, let session = try await repository.session(tokenDigest: digest(of: token))
        else { return nil }
        return session.expiresAt > timekeeper.now ? session : nil
    }

    /// Ends a session; an unknown token is no error.
    public func signOut(token: String) async throws {
        try await repository.removeSession(tokenDigest: digest(of: token))
    }

    /// Secrets are kept as digests only: who reads the database cannot sign in with what is there.
    func digest(of secret: String) -> SHA256Digest { SHA256Digest.of(Data(secret.utf8)) }

    /// Hashes passwords off the caller's thread, with at most 32 waiting.
    private func hashing<Value: Sendable>(_ compute: @escaping @Sendable () -> Value) async throws -> Value {
        let isAdmitted = passwordsWaiting.withLock { waiting in
            guard waiting < 32 else { return false }
            waiting += 1
            return true
        }
        guard isAdmitted else {
            throw ProblemDocument(
                type: "/problems/busy", title: "Busy", status: 503,
                detail: "Too many people sign in at this moment. Try again in a few seconds.")
        }
        defer { passwordsWaiting.withLock { $0 -= 1 } }
        return await passwordWork.run(compute)
    }
}
