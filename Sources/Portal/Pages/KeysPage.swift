import ControlModel

/// An app's API keys, and how to use them.
struct KeysPage: Sendable {
    var session: AdminSession
    var app: App
    var keys: [APIKey]
    /// The server's address as the browser knows it.
    var serverURL: String
    var error: String?

    var html: HTML {
        PageLayout(
            title: "Keys", session: session, app: app, tab: .keys,
            content: "\(FormView.notice(error, style: "bad"))\(list)\(quickStart)"
        ).html
    }

    private var list: HTML {
        let rows = keys.map { key -> HTML in
            let state: HTML =
                key.revokedAt.map { "<span class=\"badge bad\">Revoked \(Format.date($0))</span>" }
                ?? "<span class=\"badge good\">Active</span>"
            let action: HTML =
                key.revokedAt == nil
                ? "<a class=\"button plain tiny\" href=\"\(PortalPath.revokeKey(app.id, key: key.key))\">Revoke…</a>"
                : .empty
            return """
                <tr><td>\(key.name)</td><td><code>\(key.key)</code></td><td>\(Format.date(key.createdAt))</td><td>\(state)</td>\
                <td class="number">\(action)</td></tr>
                """
        }
        let table: HTML =
            keys.isEmpty
            ? "<div class=\"empty\"><p>No key yet. Devices register with one.</p></div>"
            : """
            <div class="table-wrap"><table><thead><tr><th>Name</th><th>Key</th><th>Created</th><th>State</th><th></th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
        return """
            <section class="card"><div class="head"><h2>API keys</h2>
            <form class="actions" method="post" action="\(PortalPath.keys(app.id))">\(FormView.token(session))
            <input type="text" name="name" aria-label="Name of the new key" placeholder="Name, such as iOS 2.1" required style="width:220px">
            <button class="button">Create key</button></form></div>\(table)</section>
            """
    }

    private var quickStart: HTML {
        guard let key = keys.first(where: { $0.revokedAt == nil }) else { return .empty }
        return """
            <section class="card"><h2>Use it in your app</h2>
            <pre>import Larder

            let larder = LarderClient(configuration: .init(
                serverURL: "\(serverURL)", apiKey: "\(key.key)", bundleID: "\(app.bundleID)"))
            larder.intercept(.shared)
            larder.subscribe(to: ["…"])</pre>
            <p class="soft small">The key names the app; it is no secret, as it is in every copy of the app. Revoking it shuts its devices out.</p>
            </section>
            """
    }
}

/// Asks before a key is revoked.
struct RevokeKeyPage: Sendable {
    var session: AdminSession
    var app: App
    var key: APIKey

    var html: HTML {
        PageLayout(
            title: "Revoke “\(key.name)”?", session: session, app: app, tab: .keys,
            crumbs: [("Keys", .keys(app.id))],
            content: """
                <section class="card"><p>Devices that registered with <code>\(key.key)</code> are turned away from now on: they keep
                what they hold, but get nothing new and report nothing. This cannot be undone.</p>
                <div class="fields">
                \(FormView.button("Revoke key", to: .revokeKey(app.id, key: key.key), session: session, style: "button danger"))
                <a class="button plain" href="\(PortalPath.keys(app.id))">Keep it</a></div></section>
                """
        ).html
    }
}
