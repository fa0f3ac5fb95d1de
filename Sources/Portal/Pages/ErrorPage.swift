import ControlModel
import Wire

/// A refusal or failure, with a way on.
struct ErrorPage: Sendable {
    var session: AdminSession?
    var problem: ProblemDocument

    var html: HTML {
        let content: HTML = """
            <section class="card empty"><h2>\(problem.title)</h2><p>\(problem.detail)</p>
            <a class="button plain" href="\(session == nil ? PortalPath.signIn : PortalPath.apps)">\(session == nil ? "Sign in" : "Back to the apps")</a></section>
            """
        let framed: HTML = session == nil ? "<main>\(content)</main>" : content
        return PageLayout(title: "Error \(problem.status)", session: session, content: framed).html
    }
}
