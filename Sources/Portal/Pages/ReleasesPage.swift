import ControlModel
import ControlPlane
import Wire

/// The history of an app's releases.
struct ReleasesPage: Sendable {
    var session: AdminSession
    var app: App
    /// The newest first.
    var releases: [StoredRelease]
    var notice: String?
    var error: String?

    var html: HTML {
        PageLayout(
            title: "Releases", session: session, app: app, tab: .releases,
            actions: "<a class=\"button\" href=\"\(PortalPath.publish(app.id))\">Review and publish</a>",
            content: "\(FormView.notice(error, style: "bad"))\(FormView.notice(notice))\(list)"
        ).html
    }

    private var list: HTML {
        guard !releases.isEmpty else {
            return """
                <section class="card empty"><h2>Nothing published yet</h2>
                <p>Publishing freezes the segments' good items into signed manifests that devices install.</p></section>
                """
        }
        let rows = releases.enumerated().map { index, stored -> HTML in
            let segments = stored.release.segments.map { segment -> HTML in
                "<div><strong>\(segment.name)</strong> version \(segment.version) · \(Format.plural(segment.itemCount, "item")) · \(Format.bytes(segment.byteCount))</div>"
            }
            let content: HTML = segments.isEmpty ? "No segments" : "\(segments)"
            let state: HTML =
                index == 0
                ? "<span class=\"badge good\">Current</span>"
                : FormView.button(
                    "Roll back to this", to: .rollBack(app.id), session: session,
                    fields: [("version", String(stored.release.version))])
            return """
                <tr><td><strong>\(stored.release.version)</strong></td><td>\(Format.date(stored.release.publishedAt))</td>
                <td>\(stored.publishedBy)</td><td class="small">\(content)</td><td class="number">\(state)</td></tr>
                """
        }
        return """
            <section class="card"><div class="table-wrap" style="margin-top:-20px;border-top:0"><table>
            <thead><tr><th>Release</th><th>Published (UTC)</th><th>By</th><th>Segments</th><th></th></tr></thead>
            <tbody>\(rows)</tbody></table></div></section>
            """
    }
}

/// What a publication would change; asks before it is done.
struct PublishPage: Sendable {
    var session: AdminSession
    var app: App
    var preview: PublicationPreview
    var error: String?

    var html: HTML {
        PageLayout(
            title: "Publish release \(preview.nextReleaseVersion)", session: session, app: app, tab: .releases,
            crumbs: [("Releases", .releases(app.id))],
            content: "\(FormView.notice(error, style: "bad"))\(changes)\(confirmation)"
        ).html
    }

    private var changes: HTML {
        let rows = preview.segments.map { change -> HTML in
            let state: HTML =
                change.isChanged
                ? "<span class=\"badge good\">New version</span>" : "<span class=\"badge\">Unchanged</span>"
            let left: HTML =
                change.failedCount > 0
                ? "<span class=\"badge bad\">\(Format.count(change.failedCount)) left out</span>" : .empty
            return """
                <tr><td><a href="\(PortalPath.segment(app.id, name: change.name))"><strong>\(change.name)</strong></a></td>
                <td>\(state) \(left)</td><td class="number">\(change.currentVersion.map(String.init) ?? "–") → \(change.nextVersion)</td>
                <td class="number">\(Format.count(change.itemCount))</td><td class="number">\(Format.bytes(change.byteCount))</td>
                <td class="number">+\(change.addedCount) ~\(change.changedCount) −\(change.removedCount)</td></tr>
                """
        }
        let removed = preview.removedSegments.map { name -> HTML in
            "<tr><td><strong>\(name)</strong></td><td><span class=\"badge bad\">Removed</span></td><td></td><td></td><td></td><td></td></tr>"
        }
        return """
            <section class="card"><h2>What changes for the devices</h2><div class="table-wrap"><table>
            <thead><tr><th>Segment</th><th>Change</th><th class="number">Version</th><th class="number">Items</th><th class="number">Size</th>
            <th class="number">Added, changed, removed</th></tr></thead><tbody>\(rows)\(removed)</tbody></table></div></section>
            \(settings)
            """
    }

    private var settings: HTML {
        guard !preview.settingChanges.isEmpty else { return .empty }
        let rows = preview.settingChanges.map { change -> HTML in
            """
            <tr><td><strong>\(change.name)</strong></td><td class="url">\(change.before ?? "–")</td><td class="url">\(change.after ?? "–")</td></tr>
            """
        }
        return """
            <section class="card"><h2>\(Format.plural(preview.settingChanges.count, "setting")) will change</h2><div class="table-wrap"><table>
            <thead><tr><th>Setting</th><th>Devices have</th><th>Devices will have</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }

    private var confirmation: HTML {
        if !preview.blockers.isEmpty {
            let list = preview.blockers.map { blocker -> HTML in "<li>\(blocker)</li>" }
            return "<div class=\"notice warn\"><strong>Not yet:</strong><ul>\(list)</ul></div>"
        }
        guard preview.hasChanges else {
            return FormView.notice("Devices already have all of this: there is nothing to publish.")
        }
        return """
            <form method="post" action="\(PortalPath.publish(app.id))">\(FormView.token(session))
            <button class="button">Publish release \(preview.nextReleaseVersion)</button></form>
            """
    }
}
