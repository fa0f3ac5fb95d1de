import ControlModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The app's own events by name, with what went on between their ends.
struct EventsPage: Sendable {
    var session: AdminSession
    var app: App
    var span: DashboardPage.Span
    /// The most frequent first.
    var events: [EventStatistics]
    /// Those seen last.
    var devices: [Device]
    var now: Date

    var html: HTML {
        PageLayout(
            title: "Events", session: session, app: app, tab: .events,
            actions: SpanSwitch(current: span, path: .events(app.id)).html, content: "\(table)\(timelines)"
        ).html
    }

    private var table: HTML {
        guard !events.isEmpty else {
            return """
                <section class="card empty"><h2>No event in this span</h2>
                <p>Apps tell of their own moments with <code>logEvent</code>, and of how long something takes with <code>startEvent</code>
                and <code>stopEvent</code>.</p></section>
                """
        }
        let rows = events.map { event -> HTML in
            """
            <tr><td class="url"><strong>\(event.name)</strong></td><td class="number">\(Format.count(event.count))</td>
            <td class="number">\(duration(event.medianMilliseconds))</td><td class="number">\(duration(event.percentile90Milliseconds))</td>
            <td class="number">\(event.timedCount == 0 ? "–" : Format.count(event.exchangeCount))</td>
            <td class="number">\(Format.percent(event.fromDeviceCount, of: event.exchangeCount))</td>
            <td class="number">\(event.timedCount == 0 ? "–" : Format.count(event.failedCount))</td>
            <td class="number">\(event.timedCount == 0 ? "–" : Format.bytes(event.wireByteCount))</td>
            <td>\(Format.ago(event.lastAt, now: now))</td></tr>
            """
        }
        return """
            <section class="card"><h2>\(Format.plural(events.count, "event"))</h2>
            <p class="soft">Durations and requests are of events with a start and an end; requests are those that began between the two.</p>
            <div class="table-wrap"><table><thead><tr><th>Event</th><th class="number">Count</th><th class="number">Median</th>
            <th class="number">90 % within</th><th class="number">Requests</th><th class="number">From the device</th>
            <th class="number">Failed</th><th class="number">Over the network</th><th>Last</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
            """
    }

    private func duration(_ milliseconds: Double?) -> String {
        milliseconds.map { Format.duration(milliseconds: $0) } ?? "–"
    }

    private var timelines: HTML {
        guard !devices.isEmpty else { return .empty }
        let rows = devices.map { device -> HTML in
            """
            <tr><td><a href="\(PortalPath.device(app.id, device: device.id))"><code>\(device.id)</code></a></td><td>\(device.platform)</td>
            <td>\(Format.ago(device.lastSeenAt, now: now))</td></tr>
            """
        }
        return """
            <section class="card"><h2>One device at a time</h2>
            <p class="soft">A device's page has its latest events with its requests in line. <a href="\(PortalPath.devices(app.id))">All devices</a></p>
            <div class="table-wrap"><table><thead><tr><th>Device</th><th>Platform</th><th>Last seen</th></tr></thead>
            <tbody>\(rows)</tbody></table></div></section>
            """
    }
}

/// The choice among spans of time.
struct SpanSwitch: Sendable {
    var current: DashboardPage.Span
    var path: PortalPath

    var html: HTML {
        let links = DashboardPage.Span.allCases.map { span -> HTML in
            let mark: HTML = span == current ? " aria-current=\"true\"" : ""
            return "<a href=\"\(path)?span=\(span.rawValue)\"\(mark)>\(span.label)</a>"
        }
        return "<nav class=\"segmented\" aria-label=\"Span of time\">\(links)</nav>"
    }
}
