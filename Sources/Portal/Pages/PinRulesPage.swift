import ControlModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An app's pins, and the chains that devices met and that they do not allow.
struct PinRulesView: Sendable {
    var session: AdminSession
    var app: App
    var failures: [PinFailureSum]
    var now: Date

    var html: HTML {
        """
        <section class="card" id="pins"><div class="head tight"><h2>Certificate pins</h2><div class="actions">
        <a class="button plain tiny" href="\(PortalPath.newPin(app.id))">Pin a host</a></div></div>
        <p class="soft">Devices talk to a pinned host only when its certificates show one of the keys.</p>\(table)\(failureTable)</section>
        """
    }

    private var table: HTML {
        guard !app.pins.isEmpty else { return .empty }
        let rows = app.pins.map { rule -> HTML in
            let mode: HTML =
                if let end = rule.expiresAt, end <= now {
                    "<span class=\"badge bad\">Ran out</span>"
                } else {
                    rule.isReportOnly
                        ? "<span class=\"badge warn\">Report only</span>" : "<span class=\"badge good\">Enforced</span>"
                }
            let keys = rule.digests.map { digest -> HTML in "<div><code>\(digest)</code></div>" }
            return """
                <tr><td><strong>\(rule.host)</strong>\(rule.includesSubdomains ? "<div class=\"soft small\">and subdomains</div>" as HTML : .empty)</td>
                <td>\(mode)</td><td>\(rule.expiresAt.map(Format.date) ?? "never")</td><td class="small url">\(keys)</td>
                <td class="number"><div class="row">
                <a class="button plain tiny" href="\(PortalPath.pin(app.id, host: rule.host))">Change</a>
                \(FormView.button("Remove", to: .removePin(app.id, host: rule.host), session: session))</div></td></tr>
                """
        }
        return """
            <div class="table-wrap inner"><table><thead><tr><th>Host</th><th>Mode</th><th>Runs out (UTC)</th><th>Keys</th><th></th></tr></thead>
            <tbody>\(rows)</tbody></table></div>
            """
    }

    private var failureTable: HTML {
        guard !failures.isEmpty else {
            return app.pins.isEmpty
                ? .empty
                : "<p class=\"soft small\" style=\"margin:12px 0 0\">No device met another key in the last 7 days.</p>"
        }
        let rows = failures.map { failure -> HTML in
            let keys = failure.shownDigests.map { digest -> HTML in "<div><code>\(digest)</code></div>" }
            return """
                <tr><td><strong>\(failure.host)</strong></td><td class="number">\(Format.count(failure.count))</td>
                <td class="number">\(Format.count(failure.deviceCount))</td><td>\(Format.date(failure.lastAt))</td>
                <td class="small url">\(keys)</td></tr>
                """
        }
        return """
            <h3 style="margin-top:18px">Other keys that devices met in the last 7 days</h3>
            <p class="soft small">Told under rules that only report. If a key is the server's own, add it to the rule; the first is the leaf's.</p>
            <div class="table-wrap inner"><table><thead><tr><th>Host</th><th class="number">Times</th><th class="number">Devices</th>
            <th>Last (UTC)</th><th>Keys shown, leaf first</th></tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }
}

/// One pin rule, new or to be changed.
struct PinRulePage: Sendable {
    var session: AdminSession
    var app: App
    /// The rule's host; `nil` for a new one.
    var host: String?
    var form: FormState
    var problems: [String] = []

    var html: HTML {
        PageLayout(
            title: host.map { "Pins of \($0)" } ?? "Pin a host", session: session, app: app, tab: .settings,
            crumbs: [("Settings", .settings(app.id))],
            content: """
                \(FormView.notice(problems.isEmpty ? nil : problems.joined(separator: " "), style: "bad"))
                <form method="post" action="\(host.map { .pin(app.id, host: $0) } ?? PortalPath.newPin(app.id))">\(FormView.token(session))
                <section class="card">\(FormView.text("Host", name: "host", in: form, hint: "Such as api.example.com."))
                \(FormView.check("The names below it as well", name: "includesSubdomains", in: form))
                \(FormView.area("Keys, one a line", name: "digests", in: form, hint: "Base64 SHA-256 of a SubjectPublicKeyInfo. At least two: one that the server shows, and a backup kept elsewhere."))
                \(FormView.text("Last day", name: "expiresAt", in: form, hint: "Such as 2027-01-31: the rule ends with that day, UTC. Empty for never.", isRequired: false))
                \(FormView.check("Report only: devices tell of other keys and go on. Begin with this; enforce the rule when no report comes.", name: "isReportOnly", in: form))
                <div class="fields"><button class="button">Save rule</button>
                <a class="button plain" href="\(PortalPath.settings(app.id))#pins">Cancel</a></div></section></form>
                <details><summary>How to get a key's digest</summary>
                <pre>openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der \\
                  | openssl dgst -sha256 -binary | base64</pre></details>
                """
        ).html
    }
}
