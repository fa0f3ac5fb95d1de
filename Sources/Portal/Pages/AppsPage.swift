import ControlModel

/// The list of apps, and a form for one more.
struct AppsPage: Sendable {
    struct Row: Sendable {
        var app: App
        var deviceCount: Int
        var segmentCount: Int
        var releaseVersion: Int?
    }

    var session: AdminSession
    var rows: [Row]
    var name = ""
    var bundleID = ""
    var error: String?

    var html: HTML {
        PageLayout(title: "Apps", session: session, content: "\(list)\(form)").html
    }

    private var list: HTML {
        guard !rows.isEmpty else {
            return """
                <section class="card empty"><h2>No app yet</h2>
                <p>An app is one program of yours, with its keys, segments and releases. Make the first one below.</p></section>
                """
        }
        let cards = rows.map { row -> HTML in
            let release: HTML =
                row.releaseVersion.map { "<span class=\"badge good\">Release \($0)</span>" }
                ?? "<span class=\"badge\">Nothing published</span>"
            return """
                <section class="card"><h2><a href="\(PortalPath.app(row.app.id))">\(row.app.name)</a></h2>
                <p class="soft small"><code>\(row.app.bundleID)</code></p>
                <p class="small">\(Format.plural(row.deviceCount, "device")) · \(Format.plural(row.segmentCount, "segment"))</p>
                \(release)</section>
                """
        }
        return "<div class=\"two\">\(cards)</div>"
    }

    private var form: HTML {
        """
        <section class="card"><h2>New app</h2>\(FormView.notice(error, style: "bad"))
        <form method="post" action="\(PortalPath.apps)">\(FormView.token(session))
        <div class="fields">
        \(FormView.text("Name", name: "name", value: name, hint: "What people call it."))
        \(FormView.text("Bundle identifier", name: "bundleID", value: bundleID, hint: "Such as com.example.news; devices must name the same."))
        </div><button class="button">Create app</button></form></section>
        """
    }
}
