import ControlModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One segment: its items with what ingest found, the form that fills it, and the runs of ingest.
struct SegmentPage: Sendable {
    var session: AdminSession
    var app: App
    var segment: Segment
    /// Every item of the segment.
    var items: [SegmentItem]
    /// The state shown; `nil` for all.
    var filter: SegmentItem.State?
    /// The page of the list, from 0.
    var page = 0
    /// The newest runs of this segment.
    var jobs: [IngestJob]
    /// What the refused ingest form held.
    var ingestURLs = ""
    var ingestSitemap = ""
    var error: String?

    static let itemsPerPage = 100

    private var running: IngestJob? { jobs.first { $0.state == .running } }

    var html: HTML {
        PageLayout(
            title: segment.name, session: session, app: app, tab: .segments,
            crumbs: [("Segments", .segments(app.id))],
            actions: """
                <a class="button plain" href="\(PortalPath.removeSegment(app.id, segment: segment.name))">Remove…</a>
                <a class="button" href="\(PortalPath.publish(app.id))">Review and publish</a>
                """,
            refreshSeconds: running == nil ? nil : 2,
            content: "\(FormView.notice(error, style: "bad"))\(progress)\(summary)\(list)\(form)\(history)"
        ).html
    }

    private var summary: HTML {
        let byteCount = items.reduce(0) { $0 + $1.byteCount }
        let version = segment.publishedVersion == 0 ? "–" : String(segment.publishedVersion)
        let figures: [(String, String)] = [
            ("Items", Format.count(items.count)), ("Size on the device", Format.bytes(byteCount)),
            ("Essential", Format.count(items.filter(\.isEssential).count)), ("Published version", version),
        ]
        let cards = figures.map { figure -> HTML in
            "<div class=\"card\"><div class=\"label\">\(figure.0)</div><div class=\"figure small-figure\">\(figure.1)</div></div>"
        }
        let note: HTML = segment.note.isEmpty ? .empty : "<p class=\"soft\">\(segment.note)</p>"
        return "\(note)<div class=\"grid\">\(cards)</div>"
    }

    private var progress: HTML {
        guard let job = running else {
            guard let last = jobs.first, last.state == .failed else { return .empty }
            return FormView.notice("The last ingest failed: \(last.failure ?? "no reason was told").", style: "bad")
        }
        let percent = job.itemsTotal > 0 ? 100 * job.itemsDone / job.itemsTotal : 0
        return """
            <section class="card" role="status"><h2>Ingest is running</h2>
            <div class="bar" role="progressbar" aria-valuenow="\(percent)" aria-valuemin="0" aria-valuemax="100" aria-label="Ingest">\
            <i style="width:\(percent)%"></i></div>
            <p class="soft small">\(Format.count(job.itemsDone)) of \(Format.count(job.itemsTotal)) URLs fetched, \(Format.count(job.itemsFailed)) failed. This page reloads by itself.</p></section>
            """
    }

    private var list: HTML {
        guard !items.isEmpty else {
            return """
                <section class="card empty"><h2>Nothing in it yet</h2><p>Paste URLs below, or give the address of a sitemap.</p></section>
                """
        }
        let counts = Dictionary(grouping: items, by: \.state).mapValues(\.count)
        let matching = items.filter { filter == nil || $0.state == filter }
        let shown = matching.dropFirst(page * Self.itemsPerPage).prefix(Self.itemsPerPage)
        let options: [SegmentItem.State?] = [nil] + SegmentItem.State.allCases
        let filters = options.map { state -> HTML in
            let label = state?.rawValue.capitalized ?? "All"
            let count = state.map { counts[$0] ?? 0 } ?? items.count
            let current: HTML = state == filter ? " aria-current=\"true\"" : ""
            let query = state.map { "?state=\($0.rawValue)" } ?? ""
            return
                "<a href=\"\(PortalPath.segment(app.id, name: segment.name))\(query)\"\(current)>\(label) \(Format.count(count))</a>"
        }
        return """
            <section class="card"><div class="head"><h2>Items</h2><div class="actions"><nav class="segmented" aria-label="Filter by state">\(filters)</nav></div></div>
            <div class="table-wrap"><table><thead><tr><th>URL</th><th>State</th><th class="number">Size</th><th>Type</th><th>Download</th><th></th></tr></thead>
            <tbody>\(shown.map(row))</tbody></table></div>\(pager(matching.count))</section>
            """
    }

    private func pager(_ count: Int) -> HTML {
        let last = max(0, (count - 1) / Self.itemsPerPage)
        guard last > 0 else { return .empty }
        let state = filter.map { "&state=\($0.rawValue)" } ?? ""
        let link = { (page: Int, label: String) -> HTML in
            "<a class=\"button plain tiny\" href=\"\(PortalPath.segment(app.id, name: segment.name))?page=\(page)\(state)\">\(label)</a> "
        }
        return """
            <p class="small" style="margin:34px 0 0">\(page > 0 ? link(page - 1, "Previous") : .empty)\
            Page \(page + 1) of \(last + 1) \(page < last ? link(page + 1, "Next") : .empty)</p>
            """
    }

    private func row(_ item: SegmentItem) -> HTML {
        let findings = item.findings.map { finding -> HTML in "<li>\(finding)</li>" }
        let list: HTML = findings.isEmpty ? .empty : "<ul class=\"findings\">\(findings)</ul>"
        let type = item.contentType.map { String($0.prefix { $0 != ";" }) } ?? "–"
        return """
            <tr><td class="url"><a href="\(item.url)" rel="noreferrer">\(item.url)</a>\(list)</td><td>\(ItemBadges.badge(item.state))</td>
            <td class="number">\(item.state == .pending ? "–" : Format.bytes(item.byteCount))</td><td class="small soft">\(type)</td>
            <td><form class="fields" style="gap:8px;flex-wrap:nowrap" method="post" action="\(PortalPath.editItem(app.id, segment: segment.name))">\(FormView.token(session))
            <input type="hidden" name="url" value="\(item.url)">
            <select name="essential" aria-label="Essential or optional" style="width:auto;padding:4px 6px;font-size:13px">
            <option value="true"\("selected", if: item.isEssential)>Essential</option><option value="false"\("selected", if: !item.isEssential)>Optional</option></select>
            <input type="number" name="priority" value="\(item.priority)" min="0" max="9" aria-label="Priority, 0 is first" style="width:58px;padding:4px 6px;font-size:13px">
            <button class="button plain tiny">Save</button></form></td>
            <td class="number">\(FormView.button("Remove", to: .removeItem(app.id, segment: segment.name), session: session, fields: [("url", item.url)]))</td></tr>
            """
    }

    private var form: HTML {
        """
        <section class="card" id="ingest"><h2>Ingest</h2>
        <p class="soft">The server fetches each URL as a device would, and records size, hash and validators.</p>
        <form method="post" action="\(PortalPath.ingest(app.id, segment: segment.name))">\(FormView.token(session))
        <div class="field"><label for="urls">URLs, one a line</label>
        <textarea id="urls" name="urls" placeholder="https://www.example.com/app/start.html">\(ingestURLs)</textarea></div>
        \(FormView.text("… or a sitemap", name: "sitemap", value: ingestSitemap, type: "url", hint: "Plain, gzip or a sitemap index.", isRequired: false))
        <div class="field"><label class="choice"><input type="checkbox" name="replace" value="true"> Drop the items that are not among them</label></div>
        <button class="button">Start ingest</button></form></section>
        """
    }

    private var history: HTML {
        guard !jobs.isEmpty else { return .empty }
        let rows = jobs.prefix(5).map { job -> HTML in
            let source =
                switch job.source {
                case .urls(let urls): Format.plural(urls.count, "URL")
                case .sitemap(let url): url
                }
            let state: HTML =
                switch job.state {
                case .running: "<span class=\"badge busy\">Running</span>"
                case .succeeded: "<span class=\"badge good\">Done</span>"
                case .failed: "<span class=\"badge bad\">Failed</span>"
                }
            return """
                <tr><td>\(Format.date(job.startedAt))</td><td class="url">\(source)</td><td>\(state)</td>
                <td class="number">\(Format.count(job.itemsDone))</td><td class="number">\(Format.count(job.itemsFailed))</td></tr>
                """
        }
        return """
            <section class="card"><h2>Latest ingests</h2><div class="table-wrap"><table>
            <thead><tr><th>Started (UTC)</th><th>Source</th><th>State</th><th class="number">Fetched</th><th class="number">Failed</th></tr></thead>
            <tbody>\(rows)</tbody></table></div></section>
            """
    }
}

/// Asks before a segment is removed.
struct RemoveSegmentPage: Sendable {
    var session: AdminSession
    var app: App
    var segment: Segment

    var html: HTML {
        PageLayout(
            title: "Remove “\(segment.name)”?", session: session, app: app, tab: .segments,
            crumbs: [("Segments", .segments(app.id)), (segment.name, .segment(app.id, name: segment.name))],
            content: """
                <section class="card"><p>The segment and its list of items are removed here at once. Devices drop its content with the
                next release that you publish.</p><div class="fields">
                \(FormView.button("Remove segment", to: .removeSegment(app.id, segment: segment.name), session: session, style: "button danger"))
                <a class="button plain" href="\(PortalPath.segment(app.id, name: segment.name))">Keep it</a></div></section>
                """
        ).html
    }
}
