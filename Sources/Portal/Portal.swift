public import ControlPlane
import HTTPModel
public import HTTPServer
public import Primitives
import Wire

/// The portal: server-rendered pages over the control plane, for people with a browser.
public enum Portal {
    /// Every route, for the server that carries them.
    public static func routes(_ controlPlane: ControlPlane, timekeeper: any Timekeeping) -> [Route] {
        let context = PortalContext(controlPlane: controlPlane, timekeeper: timekeeper)
        return [Assets.route, root(context)] + entrance(context) + apps(context) + keys(context) + segments(context)
            + releases(context) + devices(context) + events(context) + settings(context)
    }

    private static func root(_ context: PortalContext) -> Route {
        Route(.get, "/", bodyByteCountMax: 0) { _ in PortalContext.redirect(to: PortalPath.apps.string) }
    }

    private static func entrance(_ context: PortalContext) -> [Route] {
        [
            Route(.get, "/sign-in", bodyByteCountMax: 0) { request in
                guard try await context.session(request) == nil else {
                    return PortalContext.redirect(to: PortalPath.apps.string)
                }
                return PortalContext.answer(SignInPage(next: request.queryValue("next")).html)
            },
            Route(.post, "/sign-in", bodyByteCountMax: 16 << 10) { request in
                let form = Form(request)
                do {
                    let (token, _) = try await context.controlPlane.signIn(
                        name: form["name"], password: form.raw("password"))
                    // Only paths of the portal itself, so that no link leads elsewhere after signing in.
                    let next = form["next"].hasPrefix("/apps") ? form["next"] : PortalPath.apps.string
                    var response = PortalContext.redirect(to: next)
                    response.fields.append(.setCookie, PortalContext.cookie(token, request))
                    return response
                } catch let problem as ProblemDocument {
                    let page = SignInPage(name: form["name"], error: problem.detail, next: form["next"])
                    return PortalContext.answer(page.html, status: problem.status)
                }
            },
            context.action("/sign-out") { request, _, _ in
                if let token = PortalContext.token(request) { try await context.controlPlane.signOut(token: token) }
                var response = PortalContext.redirect(to: PortalPath.signIn.string)
                response.fields.append(.setCookie, PortalContext.cookie(nil, request))
                return response
            },
        ]
    }
}
