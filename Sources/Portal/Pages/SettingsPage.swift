import ControlModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app's devices do, and when; in sections.
struct SettingsPage: Sendable {
    var session: AdminSession
    var app: App
    var segments: [Segment]
    /// What devices have; `nil` when nothing was published.
    var published: Release?
    var pinFailures: [PinFailureSum]
    var now: Date
    var form: FormState
    var notice: String?
    /// What is wrong and is about no field of the page.
    var problems: [String] = []

    static let anchors = [
        ("downloads", "Downloads"), ("networks", "Networks"), ("power", "Power and time"),
        ("quality", "Network quality"), ("segments", "Segments"), ("pins", "Certificate pins"),
    ]

    var html: HTML {
        PageLayout(
            title: "Settings", session: session, app: app, tab: .settings, actions: jumps,
            content: """
                \(messages)\(summary)
                <form method="post" action="\(PortalPath.settings(app.id))">\(FormView.token(session))
                \(identity)\(downloads)\(networks)\(power)\(quality)
                <div class="save"><button class="button">Save settings</button>
                <span class="soft small">Devices hear of it when you publish.</span></div></form>
                \(SegmentRulesView(app: app, segments: segments).html)
                \(PinRulesView(session: session, app: app, failures: pinFailures, now: now).html)
                """
        ).html
    }

    private var messages: HTML {
        if !problems.isEmpty || !form.errors.isEmpty {
            let list = problems.map { problem -> HTML in "<li>\(problem)</li>" }
            return """
                <div class="notice bad" role="status">Nothing was saved: \(form.errors.isEmpty ? "please mend this." : "please mend the marked fields.")\
                \(list.isEmpty ? .empty : "<ul>\(list)</ul>" as HTML)</div>
                """
        }
        return FormView.notice(notice)
    }

    private var jumps: HTML {
        let links = Self.anchors.map { anchor -> HTML in "<a href=\"#\(anchor.0)\">\(anchor.1)</a>" }
        return "<nav class=\"segmented\" aria-label=\"Sections\">\(links)</nav>"
    }

    private var summary: HTML {
        let sentences = app.settings.sentences.map { sentence -> HTML in "<li>\(sentence)</li>" }
        let state: HTML =
            switch published {
            case nil: "Nothing is published yet; devices hear of it with the first release."
            case let release? where release.settings == app.settings:
                "Devices have this, with release \(release.version)."
            case let release?:
                """
                Devices still do what release \(release.version) says. <a href="\(PortalPath.publish(app.id))">Review and publish</a>.
                """
            }
        return """
            <section class="card"><h2>What devices do</h2><ul class="sentences">\(sentences)</ul><p class="soft small">\(state)</p></section>
            """
    }

    private func section(_ id: String, _ title: String, _ content: HTML) -> HTML {
        "<section class=\"card\" id=\"\(id)\"><h2>\(title)</h2>\(content)</section>"
    }

    private var identity: HTML {
        section(
            "app", "App",
            """
            <div class="fields">\(FormView.text("Name", name: "name", in: form))
            \(FormView.text("Bundle identifier", name: "bundleID", in: form, hint: "Devices must name the same."))</div>
            \(FormView.check("The SDK is on. Off, devices pass every request through and download nothing.", name: "policy.isEnabled", in: form))
            <p class="soft small" style="margin:0">App id: <code>\(app.id)</code></p>
            """)
    }

    private var downloads: HTML {
        section(
            "downloads", "Downloads",
            """
            <div class="fields">\(FormView.text("Largest file", name: "policy.fileByteCountMax", in: form, unit: "MB", hint: "Larger items are left out."))
            \(FormView.text("Downloads at once", name: "policy.concurrentDownloadsMax", in: form, hint: "1 to 32."))</div>
            <div class="fields">\(FormView.text("Speed limit", name: "policy.bytesPerSecondMax", in: form, unit: "kbit/s", hint: "For all downloads together. Empty for none.", isRequired: false))
            \(FormView.text("Time between syncs", name: "policy.syncIntervalSeconds", in: form, unit: "seconds", hint: "How often devices look for a new release; 900 is 15 minutes."))</div>
            """)
    }

    private var networks: HTML {
        let options = NetworkSelection.allCases.map { (value: $0.rawValue, label: $0.label.capitalizedFirst) }
        return section(
            "networks", "Networks",
            """
            \(FormView.select("Download on", name: "policy.networks", in: form, options: options, hint: "Wired networks count as Wi-Fi, metered ones as cellular."))
            <div class="pair">\(NetworkFields.traffic("Wi-Fi", name: "policy.wifi", in: form))
            \(NetworkFields.traffic("Cellular", name: "policy.cellular", in: form))</div>
            """)
    }

    private var power: HTML {
        section(
            "power", "Power and time",
            """
            <div class="pair">\(NetworkFields.time("Wi-Fi", name: "policy.wifi", in: form))
            \(NetworkFields.time("Cellular", name: "policy.cellular", in: form))</div>
            \(FormView.text("Least charge on battery", name: "policy.batteryPercentMin", in: form, unit: "%", hint: "0 for any. Devices on external power do not count it."))
            """)
    }

    private var quality: HTML {
        section(
            "quality", "Network quality",
            """
            <p class="soft">From where on devices call a network good, and excellent. A network that misses the limits of good is poor.</p>
            <div class="pair">\(limits("Wi-Fi", "quality.wifi"))\(limits("Cellular", "quality.cellular"))</div>
            """)
    }

    private func limits(_ label: String, _ name: String) -> HTML {
        let classes = [("Good", "good"), ("Excellent", "excellent")].map { label, part -> HTML in
            """
            <div class="fields">\(FormView.text("\(label): round trip up to", name: "\(name).\(part).roundTripMillisecondsMax", in: form, unit: "ms"))
            \(FormView.text("\(label): from", name: "\(name).\(part).kilobitsPerSecondMin", in: form, unit: "kbit/s"))</div>
            """
        }
        return "<fieldset><legend>\(label)</legend>\(classes)</fieldset>"
    }
}

/// The fields of a network's rules, in two groups.
enum NetworkFields {
    static func traffic(_ label: String, name: String, in form: FormState) -> HTML {
        """
        <fieldset><legend>\(label)</legend>\(dailyLimit(name, form))\(leastQuality(name, form))</fieldset>
        """
    }

    static func time(_ label: String, name: String, in form: FormState) -> HTML {
        """
        <fieldset><legend>\(label)</legend>\(hours(name, form))\(battery(name, form))</fieldset>
        """
    }

    /// All rules at once, below a box that says whether they hold.
    static func all(_ label: String, name: String, switchName: String, in form: FormState) -> HTML {
        """
        <fieldset><legend>\(label)</legend>\(FormView.check("Rules of its own; else as for the app", name: switchName, in: form))
        \(dailyLimit(name, form))\(leastQuality(name, form))\(hours(name, form))\(battery(name, form))</fieldset>
        """
    }

    private static func dailyLimit(_ name: String, _ form: FormState) -> HTML {
        FormView.text(
            "Most a day", name: "\(name).dailyByteCountMax", in: form, unit: "MB",
            hint: "Bytes on the wire between two local midnights. Empty for no limit.", isRequired: false)
    }

    private static func leastQuality(_ name: String, _ form: FormState) -> HTML {
        FormView.select(
            "Least quality", name: "\(name).qualityMin", in: form,
            options: [
                ("", "Any"), ("poor", "Any, once it is known"), ("good", "Good or better"), ("excellent", "Excellent"),
            ])
    }

    private static func hours(_ name: String, _ form: FormState) -> HTML {
        FormView.text(
            "Hours", name: "\(name).hours", in: form,
            hint: "In the device's own time, such as 22:00–06:00, 12:00–13:00. Empty for the whole day.",
            isRequired: false)
    }

    private static func battery(_ name: String, _ form: FormState) -> HTML {
        FormView.check("Also on battery", name: "\(name).isAllowedOnBattery", in: form)
    }
}

extension String {
    /// The text with its first letter in upper case.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
