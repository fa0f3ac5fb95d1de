import ControlModel

/// An app's segments.
struct SegmentsPage: Sendable {
    struct Row: Sendable {
        var segment: Segment
        var itemCounts: [SegmentItem.State: Int]
        var byteCount: Int64
        /// Devices on which the published version is active.
        var deviceCount: Int
    }

    var session: AdminSession
    var app: App
    var rows: [Row]
    var name = ""
    var note = ""
    var error: String?

    var html: HTML {
        PageLayout(
            title: "Segments", session: session, app: app, tab: .segments,
            actions: rows.isEmpty
                ? .empty : "<a class=\"button\" href=\"\(PortalPath.publish(app.id))\">Review and publish</a>",
            content: "\(list)\(form)"
        ).html
    }

    private var list: HTML {
        guard !rows.isEmpty else {
            return """
                <section class="card empty"><h2>No segment yet</h2>
                <p>A segment is a named set of URLs that apps subscribe to, such as <code>front-page</code>. Make one, fill it, publish it.</p>
                </section>
                """
        }
        let lines = rows.map { row -> HTML in
            let published: HTML =
                row.segment.publishedVersion == 0
                ? "<span class=\"badge\">Not published</span>"
                : "<span class=\"badge good\">Version \(row.segment.publishedVersion)</span>"
            let count = row.itemCounts.values.reduce(0, +)
            return """
                <tr><td><a href="\(PortalPath.segment(app.id, name: row.segment.name))"><strong>\(row.segment.name)</strong></a>
                <div class="soft small">\(row.segment.note)</div></td>
                <td>\(ItemBadges.counts(row.itemCounts))</td><td class="number">\(Format.count(count))</td>
                <td class="number">\(Format.bytes(row.byteCount))</td><td>\(published)</td>
                <td class="number">\(Format.count(row.deviceCount))</td></tr>
                """
        }
        return """
            <section class="card"><h2>\(Format.plural(rows.count, "segment"))</h2><div class="table-wrap"><table>
            <thead><tr><th>Segment</th><th>State</th><th class="number">Items</th><th class="number">Size</th><th>Published</th>
            <th class="number">Ready on devices</th></tr></thead><tbody>\(lines)</tbody></table></div></section>
            """
    }

    private var form: HTML {
        """
        <section class="card" id="new"><h2>New segment</h2>
        <form method="post" action="\(PortalPath.segments(app.id))">\(FormView.token(session))<div class="fields">
        \(FormView.text("Name", name: "name", value: name, hint: "Letters, digits, dot, dash and underscore. Apps name it in their code; no personal data.", error: error))
        \(FormView.text("Note", name: "note", value: note, hint: "What is in it; for you.", isRequired: false))
        </div><button class="button">Create segment</button></form></section>
        """
    }
}

/// States of items as badges.
enum ItemBadges {
    static func badge(_ state: SegmentItem.State) -> HTML {
        switch state {
        case .ready: "<span class=\"badge good\">Ready</span>"
        case .warning: "<span class=\"badge warn\">Warning</span>"
        case .failed: "<span class=\"badge bad\">Failed</span>"
        case .pending: "<span class=\"badge busy\">Pending</span>"
        }
    }

    static func counts(_ counts: [SegmentItem.State: Int]) -> HTML {
        let styles: [(SegmentItem.State, String)] = [
            (.ready, "good"), (.warning, "warn"), (.failed, "bad"), (.pending, "busy"),
        ]
        let badges = styles.compactMap { state, style -> HTML? in
            guard let count = counts[state], count > 0 else { return nil }
            return "<span class=\"badge \(style)\">\(Format.count(count)) \(state.rawValue)</span> "
        }
        return badges.isEmpty ? "<span class=\"badge\">Empty</span>" : "\(badges)"
    }
}
