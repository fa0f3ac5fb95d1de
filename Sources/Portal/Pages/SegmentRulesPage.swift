import ControlModel
import Wire

/// The segments of an app with the rules that they have of their own.
struct SegmentRulesView: Sendable {
    var app: App
    var segments: [Segment]

    var html: HTML {
        let names = Set(segments.map(\.name)).union(app.policy.segments.keys).sorted()
        guard !names.isEmpty else {
            return """
                <section class="card" id="segments"><h2>Segments</h2><p class="soft">Once there are
                <a href="\(PortalPath.segments(app.id))">segments</a>, each can have rules of its own.</p></section>
                """
        }
        let rows = names.map { name -> HTML in
            """
            <tr><td><strong>\(name)</strong></td><td>\(summary(of: name))</td>
            <td class="number"><a class="button plain tiny" href="\(PortalPath.segmentRules(app.id, segment: name))">Change</a></td></tr>
            """
        }
        return """
            <section class="card" id="segments"><h2>Segments</h2><p class="soft">A segment does as the app does, unless it has rules of its own.</p>
            <div class="table-wrap"><table><thead><tr><th>Segment</th><th>What is otherwise</th><th></th></tr></thead>
            <tbody class="middle">\(rows)</tbody></table></div></section>
            """
    }

    private func summary(of name: String) -> HTML {
        guard let rules = app.policy.segments[name] else { return "<span class=\"soft\">As for the app</span>" }
        var alone = app.settings
        alone.policy.isEnabled = true
        alone.policy.segments = [name: rules]
        alone.pins = []
        let sentence = alone.sentences.first { $0.hasPrefix("The segment \(name) ") }
        return HTML(text: sentence ?? "Nothing")
    }
}

/// The rules of one segment.
struct SegmentRulesPage: Sendable {
    var session: AdminSession
    var app: App
    var name: String
    var form: FormState
    var problems: [String] = []

    var html: HTML {
        PageLayout(
            title: "Rules of “\(name)”", session: session, app: app, tab: .settings,
            crumbs: [("Settings", .settings(app.id))],
            content: """
                \(FormView.notice(problems.isEmpty ? nil : problems.joined(separator: " "), style: "bad"))
                <form method="post" action="\(PortalPath.segmentRules(app.id, segment: name))">\(FormView.token(session))
                <section class="card"><h2>Conditions</h2>
                \(FormView.check("Download whatever the network, the battery, the hour and the daily limits", name: "isForced", in: form))
                \(FormView.select("Download on", name: "networks", in: form, options: networks))
                <div class="pair">\(NetworkFields.all("Wi-Fi", name: "wifi", switchName: "hasWifi", in: form))
                \(NetworkFields.all("Cellular", name: "cellular", switchName: "hasCellular", in: form))</div>
                <div class="fields">\(FormView.text("Least charge on battery", name: "batteryPercentMin", in: form, unit: "%", hint: "Empty for the app's: \(charge).", isRequired: false))
                \(FormView.text("Largest file", name: "fileByteCountMax", in: form, unit: "MB", hint: "Empty for the app's: \(largestFile) MB.", isRequired: false))</div>
                <div class="fields"><button class="button">Save rules</button>
                <a class="button plain" href="\(PortalPath.settings(app.id))#segments">Cancel</a></div></section></form>
                """
        ).html
    }

    private var networks: [(value: String, label: String)] {
        [("", "As for the app: \(app.policy.networks.label)")]
            + NetworkSelection.allCases.map { ($0.rawValue, $0.label.capitalizedFirst) }
    }

    private var charge: String { "\(app.policy.batteryPercentMin) %" }
    private var largestFile: String { UnitText.text(app.policy.fileByteCountMax, per: 1_000_000) }
}
