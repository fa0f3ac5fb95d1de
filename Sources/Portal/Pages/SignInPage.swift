/// The entrance.
struct SignInPage: Sendable {
    var name = ""
    var error: String?
    /// Where to go once signed in: a path of the portal.
    var next: String?

    var html: HTML {
        let hidden: HTML = next.map { "<input type=\"hidden\" name=\"next\" value=\"\($0)\">" } ?? .empty
        let content: HTML = """
            <div class="entrance"><main class="card">
            <div class="logo">\(PageLayout.mark) Larder</div>
            <p class="soft">Sign in to steer what your apps keep at hand.</p>
            \(FormView.notice(error, style: "bad"))
            <form method="post" action="\(PortalPath.signIn)">\(hidden)
            <div class="field"><label for="name">Name</label>
            <input type="text" id="name" name="name" value="\(name)" autocomplete="username" required\("autofocus", if: name.isEmpty)></div>
            <div class="field"><label for="password">Password</label>
            <input type="password" id="password" name="password" autocomplete="current-password" required\("autofocus", if: !name.isEmpty)></div>
            <button class="button">Sign in</button>
            </form>
            </main></div>
            """
        return PageLayout(title: "Sign in", content: content).html
    }
}
