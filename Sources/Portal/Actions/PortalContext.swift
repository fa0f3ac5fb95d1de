import ControlModel
import ControlPlane
import Cryptography
import HTTPModel
import HTTPServer
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What every handler of the portal works with: the rules, the clock, and the ways to answer.
struct PortalContext: Sendable {
    let controlPlane: ControlPlane
    let timekeeper: any Timekeeping

    static let cookieName = "larder_session"

    // MARK: - Sessions

    /// The token in the request's cookie.
    static func token(_ request: ServerRequest) -> String? {
        let cookies = request.fields.values(of: .cookie).flatMap { $0.split(separator: ";") }
        for cookie in cookies {
            let parts = cookie.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookieName { return String(parts[1]) }
        }
        return nil
    }

    func session(_ request: ServerRequest) async throws -> AdminSession? {
        guard let token = Self.token(request) else { return nil }
        return try await controlPlane.session(token: token)
    }

    /// `Set-Cookie` for a session, or one that removes it.
    static func cookie(_ token: String?, _ request: ServerRequest) -> String {
        let isSecure = request.fields["X-Forwarded-Proto"]?.lowercased() == "https"
        let life = token == nil ? "; Max-Age=0" : ""
        return "\(cookieName)=\(token ?? ""); Path=/; HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")\(life)"
    }

    // MARK: - Routes

    /// A page for those who are signed in; others are sent to the entrance.
    func page(
        _ pattern: String, _ make: @escaping @Sendable (ServerRequest, AdminSession) async throws -> HTML
    ) -> Route {
        Route(.get, pattern, bodyByteCountMax: 0) { request in
            guard let session = try await session(request) else { return Self.toEntrance(from: request) }
            do {
                return Self.answer(try await make(request, session))
            } catch let problem as ProblemDocument {
                return Self.answer(ErrorPage(session: session, problem: problem).html, status: problem.status)
            }
        }
    }

    /// What a form does for those who are signed in and whose form is from this portal.
    func action(
        _ pattern: String,
        _ act: @escaping @Sendable (ServerRequest, AdminSession, Form) async throws -> ServerResponse
    ) -> Route {
        Route(.post, pattern, bodyByteCountMax: 4 << 20) { request in
            guard let session = try await session(request) else { return Self.toEntrance(from: nil) }
            let form = Form(request)
            do {
                guard Secrets.areEqual(form["form_token"], session.formToken) else {
                    throw ProblemDocument(
                        type: "/problems/foreign-form", title: "This form is out of date", status: 403,
                        detail: "It was made for another session. Go back, reload the page, and send it again.")
                }
                return try await act(request, session, form)
            } catch let problem as ProblemDocument {
                return Self.answer(ErrorPage(session: session, problem: problem).html, status: problem.status)
            }
        }
    }

    // MARK: - Answers

    /// A page, with the fields that keep it safe in a browser.
    static func answer(_ html: HTML, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status,
            fields: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                "Content-Security-Policy":
                    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
                "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
            ], body: .data(Data(html.markup.utf8)))
    }

    /// Sends the browser to a page with GET.
    static func redirect(to path: String) -> ServerResponse {
        ServerResponse(status: 303, fields: [.location: path, .cacheControl: "no-store"])
    }

    private static func toEntrance(from request: ServerRequest?) -> ServerResponse {
        guard let request, request.path != "/", request.path != PortalPath.apps.string else {
            return redirect(to: PortalPath.signIn.string)
        }
        let plain = request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x26 && $0 != 0x23 && $0 != 0x25 }
        return redirect(to: PortalPath.signIn.string + (plain ? "?next=\(request.path)" : ""))
    }
}
