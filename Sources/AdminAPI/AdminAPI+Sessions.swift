import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AdminAPI {
    private struct SignedIn: Encodable {
        var token: String
        var administrator: String
        var expiresAt: Date
    }

    private struct CurrentSession: Encodable {
        var administrator: String
        var expiresAt: Date
    }

    static func signIn(_ request: ServerRequest, _ controlPlane: ControlPlane) async throws -> ServerResponse {
        var body = try JSONReader(request)
        let name = try body.string("name", characters: 1...200)
        let password = try body.string("password", characters: 1...1_000)
        try body.finish()
        do {
            let (token, session) = try await controlPlane.signIn(name: name, password: password)
            return try answer(
                SignedIn(token: token, administrator: session.administrator, expiresAt: session.expiresAt), status: 201)
        } catch let problem as ProblemDocument where problem.status == 429 {
            // The name is shut for a minute.
            return .problem(problem, fields: ["Retry-After": "60"])
        }
    }

    static func showSession(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(CurrentSession(administrator: session.administrator, expiresAt: session.expiresAt))
    }

    static func signOut(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        if let token = request.bearerToken { try await controlPlane.signOut(token: token) }
        return done
    }
}
