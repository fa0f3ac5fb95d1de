import ControlModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An app's devices, a page at a time.
struct DevicesPage: Sendable {
    struct Row: Sendable {
        var device: Device
        var progress: [SegmentProgress]
    }

    var session: AdminSession
    var app: App
    var rows: [Row]
    var deviceCount: Int
    /// From 0.
    var page: Int
    var now: Date

    static let devicesPerPage = 50

    var html: HTML {
        PageLayout(title: "Devices", session: session, app: app, tab: .devices, content: list).html
    }

    private var list: HTML {
        guard deviceCount > 0 else {
            return """
                <section class="card empty"><h2>No device yet</h2>
                <p>A device appears when an app with one of your <a href="\(PortalPath.keys(app.id))">keys</a> starts.</p></section>
                """
        }
        let lines = rows.map { row -> HTML in
            let push: HTML =
                row.device.pushToken.map { "<span class=\"badge good\">\($0.service)</span>" }
                ?? "<span class=\"soft small\">none</span>"
            return """
                <tr><td style="white-space:nowrap"><a href="\(PortalPath.device(app.id, device: row.device.id))"><code>\(row.device.id)</code></a></td><td>\(row.device.platform) · \(row.device.sdkVersion)</td>
                <td>\(Format.ago(row.device.lastSeenAt, now: now))</td><td>\(Format.date(row.device.registeredAt))</td>
                <td>\(push)</td><td>\(ProgressView(progress: row.progress).html)</td></tr>
                """
        }
        let last = max(0, (deviceCount - 1) / Self.devicesPerPage)
        let link = { (page: Int, label: String) -> HTML in
            "<a class=\"button plain tiny\" href=\"\(PortalPath.devices(app.id))?page=\(page)\">\(label)</a> "
        }
        let pager: HTML =
            last == 0
            ? .empty
            : """
            <p class="small" style="margin:34px 0 0">\(page > 0 ? link(page - 1, "Previous") : .empty)Page \(page + 1) of \(last + 1) \
            \(page < last ? link(page + 1, "Next") : .empty)</p>
            """
        return """
            <section class="card"><h2>\(Format.plural(deviceCount, "device"))</h2><div class="table-wrap"><table>
            <thead><tr><th>Device</th><th>Platform · SDK</th><th>Last seen</th><th>Registered (UTC)</th><th>Push</th><th>Segments</th></tr></thead>
            <tbody>\(lines)</tbody></table></div>\(pager)</section>
            """
    }
}
