import ControlModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One device: what it is, what it holds, and what it did of late.
struct DevicePage: Sendable {
    var session: AdminSession
    var app: App
    var device: Device
    var progress: [SegmentProgress]
    /// The newest first.
    var timeline: [TimelineEntry]
    var now: Date

    var html: HTML {
        PageLayout(
            title: device.id, session: session, app: app, tab: .devices, crumbs: [("Devices", .devices(app.id))],
            actions:
                "<a class=\"button plain\" href=\"\(PortalPath.forgetDevice(app.id, device: device.id))\">Forget</a>",
            content: "\(facts)\(TimelineView(entries: timeline).html)"
        ).html
    }

    private var facts: HTML {
        let cards: [(String, String, String)] = [
            ("Platform", device.platform, "SDK \(device.sdkVersion)"),
            (
                "Last seen", Format.ago(device.lastSeenAt, now: now),
                "registered \(Format.date(device.registeredAt)) UTC"
            ),
            (
                "Notifications", device.pushToken?.service ?? "none",
                device.pushToken == nil ? "no push token" : "a push token is there"
            ),
        ]
        let list = cards.map { card -> HTML in
            """
            <div class="card"><div class="label">\(card.0)</div><div class="figure small-figure">\(card.1)</div><div class="soft small">\(card.2)</div></div>
            """
        }
        return """
            <div class="grid">\(list)</div>
            <section class="card"><h2>Segments</h2>\(ProgressView(progress: progress).html)</section>
            """
    }
}

/// How far a device is with its segments.
struct ProgressView: Sendable {
    var progress: [SegmentProgress]

    var html: HTML {
        let bars = progress.sorted { $0.segment < $1.segment }.map { progress -> HTML in
            let percent = progress.itemsTotal > 0 ? 100 * progress.itemsReady / progress.itemsTotal : 0
            let state: HTML =
                progress.isActive
                ? "<span class=\"badge good\">Active</span>" : "<span class=\"badge busy\">Loading</span>"
            return """
                <div class="small" style="display:flex;flex-wrap:wrap;gap:4px 10px;align-items:center;margin-bottom:4px">\
                <span style="min-width:110px">\(progress.segment) \(progress.version)</span>\
                <div class="bar"><i style="width:\(percent)%"></i></div><span>\(progress.itemsReady)/\(progress.itemsTotal)</span> \(state)</div>
                """
        }
        return bars.isEmpty ? "<span class=\"soft small\">Nothing reported yet</span>" : "\(bars)"
    }
}

/// A device's events with its requests in line.
struct TimelineView: Sendable {
    /// The newest first.
    var entries: [TimelineEntry]

    var html: HTML {
        guard !entries.isEmpty else {
            return """
                <section class="card empty"><h2>Nothing told yet</h2><p>Events and requests appear with the device's next batch.</p></section>
                """
        }
        let rows = entries.map { entry -> HTML in
            switch entry {
            case .event(let event): row(event)
            case .exchange(let exchange): row(exchange)
            }
        }
        return """
            <section class="card"><h2>Latest events and requests</h2>
            <p class="soft">The newest first. A request names the events that ran as it began.</p>
            <div class="table-wrap"><table><thead><tr><th>Time (UTC)</th><th>What</th><th>Answer</th><th class="number">Took</th>
            <th class="number">Over the network</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }

    private func time(_ date: Date) -> HTML {
        "<td style=\"white-space:nowrap\">\(Format.day(date)) \(Format.time(date))</td>"
    }

    private func row(_ event: AppEvent) -> HTML {
        let traffic = event.traffic.map { traffic in
            "\(Format.plural(traffic.exchangeCount, "request")), \(traffic.fromDeviceCount) from the device"
                + (traffic.failedCount > 0 ? ", \(traffic.failedCount) failed" : "")
        }
        return """
            <tr class="event">\(time(event.date))<td class="url"><span class="badge busy">Event</span> <strong>\(event.name)</strong></td>
            <td class="small soft">\(traffic ?? "")</td><td class="number">\(event.durationMicroseconds.map(duration) ?? "–")</td>
            <td class="number">\(event.traffic.map { Format.bytes($0.wireByteCount) } ?? "–")</td></tr>
            """
    }

    private func row(_ exchange: ExchangeRecord) -> HTML {
        let events = (exchange.events ?? []).map { name -> HTML in "<span class=\"badge\">\(name)</span> " }
        let status = exchange.status == 0 ? exchange.errorCode ?? "no answer" : String(exchange.status)
        let name: HTML = exchange.outcome.analyticsName.map { "<div class=\"soft small\">\($0)</div>" } ?? .empty
        return """
            <tr>\(time(exchange.date))<td class="url inset">\(exchange.method) \(exchange.url) \(events)</td>
            <td>\(exchange.outcome.badge) <span class="small">\(status)</span>\(name)</td>
            <td class="number">\(duration(exchange.totalMicroseconds))</td><td class="number">\(Format.bytes(exchange.wireByteCount))</td></tr>
            """
    }

    private func duration(_ microseconds: Int64) -> String {
        Format.duration(milliseconds: Double(microseconds) / 1_000)
    }
}

/// Asks before a device is forgotten.
struct ForgetDevicePage: Sendable {
    var session: AdminSession
    var app: App
    var device: Device

    var html: HTML {
        PageLayout(
            title: "Forget this device?", session: session, app: app, tab: .devices,
            crumbs: [("Devices", .devices(app.id)), (device.id, .device(app.id, device: device.id))],
            content: """
                <section class="card"><p>Its id, tokens and progress go. What it told stays in the figures, without saying whose it was.</p>
                <p>It may register again while its API key is good. To keep devices away, revoke the key.</p><div class="fields">
                \(FormView.button("Forget device", to: .forgetDevice(app.id, device: device.id), session: session, style: "button danger"))
                <a class="button plain" href="\(PortalPath.device(app.id, device: device.id))">Keep it</a></div></section>
                """
        ).html
    }
}
