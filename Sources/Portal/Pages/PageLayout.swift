import ControlModel

/// The frame of every page: head, navigation, main part.
struct PageLayout: Sendable {
    /// The tabs of an app.
    enum Tab: String, Sendable, CaseIterable {
        case dashboard = "Dashboard"
        case segments = "Segments"
        case releases = "Releases"
        case devices = "Devices"
        case events = "Events"
        case keys = "Keys"
        case settings = "Settings"

        func path(appID: String) -> PortalPath {
            switch self {
            case .dashboard: .app(appID)
            case .segments: .segments(appID)
            case .releases: .releases(appID)
            case .devices: .devices(appID)
            case .events: .events(appID)
            case .keys: .keys(appID)
            case .settings: .settings(appID)
            }
        }
    }

    var title: String
    var session: AdminSession?
    var app: App?
    var tab: Tab?
    /// Where the page stands, from the outside in: label and link.
    var crumbs: [(label: String, path: PortalPath)] = []
    /// Buttons beside the heading.
    var actions: HTML = .empty
    var hasCharts = false
    /// Seconds after which the browser loads the page again.
    var refreshSeconds: Int?
    var content: HTML

    static let mark: HTML = """
        <svg width="28" height="28" viewBox="0 0 64 64" aria-hidden="true"><rect width="64" height="64" rx="14" fill="#14b8a6"/>\
        <path d="M14 22h36M14 35h36M14 48h36" stroke="#083b36" stroke-width="3" stroke-linecap="round"/>\
        <rect x="19" y="12" width="10" height="9" rx="2" fill="#fff"/><rect x="33" y="25" width="12" height="9" rx="2" fill="#fde68a"/>\
        <rect x="20" y="38" width="14" height="9" rx="2" fill="#fff"/></svg>
        """

    var html: HTML {
        """
        <!doctype html>
        <html lang="en" class="no-script">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(title) · Larder</title>
        \(refresh)
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="\(PortalPath.asset("portal.css"))">
        \(scripts)
        </head>
        <body>
        \(session.map(signedInFrame) ?? content)
        </body>
        </html>

        """
    }

    private var refresh: HTML {
        guard let refreshSeconds else { return .empty }
        return "<meta http-equiv=\"refresh\" content=\"\(refreshSeconds)\">"
    }

    private var scripts: HTML {
        guard hasCharts else { return .empty }
        return """
            <script src="\(PortalPath.asset("chart.js"))" defer></script>
            <script src="\(PortalPath.asset("portal.js"))" defer></script>
            """
    }

    private func signedInFrame(_ session: AdminSession) -> HTML {
        """
        <a class="skip" href="#main">Skip to content</a>
        <header class="top"><div class="inner">
        <a class="logo" href="\(PortalPath.apps)">\(Self.mark) Larder</a>
        <div class="who"><span>\(session.administrator)</span>
        <form method="post" action="\(PortalPath.signOut)">\(FormView.token(session))<button class="link">Sign out</button></form></div>
        </div></header>
        \(tabs)
        <main id="main">
        \(crumbTrail)
        <div class="head"><h1>\(title)</h1><div class="actions">\(actions)</div></div>
        \(content)
        </main>
        """
    }

    private var tabs: HTML {
        guard let app else { return .empty }
        let items = Tab.allCases.map { tab -> HTML in
            let current: HTML = tab == self.tab ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(tab.path(appID: app.id))\"\(current)>\(tab.rawValue)</a></li>"
        }
        return "<nav class=\"tabs\" aria-label=\"App\"><ul>\(items)</ul></nav>"
    }

    private var crumbTrail: HTML {
        var trail = crumbs
        if let app, tab != .dashboard { trail.insert((app.name, .app(app.id)), at: 0) }
        if app != nil || !crumbs.isEmpty { trail.insert(("Apps", .apps), at: 0) }
        guard !trail.isEmpty else { return .empty }
        let links = trail.map { crumb -> HTML in "<a href=\"\(crumb.path)\">\(crumb.label)</a> / " }
        return "<nav class=\"crumbs\" aria-label=\"Breadcrumbs\">\(links)</nav>"
    }
}
