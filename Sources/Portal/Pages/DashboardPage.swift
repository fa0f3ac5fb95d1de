import ControlModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What an app's content did: the figures, the charts, and what is on the devices.
struct DashboardPage: Sendable {
    /// The spans to choose from.
    enum Span: String, Sendable, CaseIterable {
        case hour = "1h"
        case day = "24h"
        case week = "7d"
        case month = "30d"

        var seconds: Double {
            switch self {
            case .hour: 3_600
            case .day: 86_400
            case .week: 7 * 86_400
            case .month: 30 * 86_400
            }
        }
        var sliceCount: Int {
            switch self {
            case .hour: 12
            case .day: 24
            case .week: 14
            case .month: 30
            }
        }
        var label: String {
            switch self {
            case .hour: "1 hour"
            case .day: "24 hours"
            case .week: "7 days"
            case .month: "30 days"
            }
        }
    }

    var session: AdminSession
    var app: App
    var span: Span
    var statistics: AppStatistics
    var release: Release?
    /// For each segment: devices on which it is active, and devices that report on it.
    var readiness: [(segment: String, ready: Int, total: Int)]
    /// Chains in this span that broke pins.
    var pinFailureCount: Int

    var html: HTML {
        PageLayout(
            title: app.name, session: session, app: app, tab: .dashboard,
            actions: SpanSwitch(current: span, path: .app(app.id)).html,
            hasCharts: true,
            content: """
                \(gettingStarted)\(pinFailures)\(figures)
                <div class="two">\(exchangeChart)\(timeChart)</div>
                <div class="two">\(savedChart)\(outcomeChart)</div>
                \(readinessTable)\(losses)
                """
        ).html
    }

    private var requestCount: Int { statistics.total.exchanges.values.reduce(0, +) }
    private var hitCount: Int { Outcomes.hits.reduce(0) { $0 + (statistics.total.exchanges[$1.rawValue] ?? 0) } }

    private var gettingStarted: HTML {
        guard requestCount == 0, release == nil else { return .empty }
        return """
            <section class="card"><h2>Get started</h2><ol>
            <li><a href="\(PortalPath.keys(app.id))">Create an API key</a> and put the three lines into your app.</li>
            <li><a href="\(PortalPath.segments(app.id))">Make a segment</a> and fill it from URLs or a sitemap.</li>
            <li><a href="\(PortalPath.publish(app.id))">Publish</a>: devices pick it up at their next sync.</li></ol></section>
            """
    }

    private var pinFailures: HTML {
        guard pinFailureCount > 0 else { return .empty }
        return """
            <div class="notice warn" role="status">Devices met keys that no pin allows, \(Format.plural(pinFailureCount, "time")) in this span.
            <a href="\(PortalPath.settings(app.id))#pins">Look at the pins</a></div>
            """
    }

    private var figures: HTML {
        let total = statistics.total
        let used = statistics.outcomes[ItemOutcome.Outcome.used.rawValue]?.count ?? 0
        let placed = statistics.outcomes[ItemOutcome.Outcome.prepositioned.rawValue]?.count ?? 0
        let cards: [(String, String, String)] = [
            ("Hit ratio", Format.percent(hitCount, of: requestCount), "\(Format.plural(requestCount, "request"))"),
            (
                "Bytes saved", Format.bytes(total.savedByteCount),
                "\(Format.bytes(total.wireByteCount)) over the network"
            ),
            ("Time saved", Format.duration(milliseconds: total.savedMilliseconds), times),
            ("Items used", Format.percent(used, of: placed), "\(Format.plural(placed, "item")) pre-positioned"),
            (
                "Devices", Format.count(statistics.deviceCount),
                release.map { "release \($0.version) is out" } ?? "nothing published"
            ),
        ]
        let list = cards.map { card -> HTML in
            """
            <div class="card"><div class="label">\(card.0)</div><div class="figure">\(card.1)</div><div class="soft small">\(card.2)</div></div>
            """
        }
        return "<div class=\"grid\">\(list)</div>"
    }

    private var times: String {
        guard let hit = statistics.total.hitMilliseconds, let miss = statistics.total.missMilliseconds else {
            return "no pair of hit and miss yet"
        }
        return "\(Format.duration(milliseconds: hit)) instead of \(Format.duration(milliseconds: miss))"
    }

    // MARK: - Charts

    private var labels: [String] { statistics.slices.map { Format.axis($0.start, spanSeconds: span.seconds) } }

    private var exchangeChart: HTML {
        let series = Outcomes.all.map { outcome in
            ChartData.Series(
                name: outcome.label, values: statistics.slices.map { Double($0.exchanges[outcome.rawValue] ?? 0) },
                color: outcome.color)
        }.filter { $0.values.contains { ($0 ?? 0) > 0 } }
        return ChartView(
            id: "exchanges", title: "Requests by outcome", kind: .stacked, unit: "requests", labels: labels,
            series: series
        ).html
    }

    private var timeChart: HTML {
        ChartView(
            id: "times", title: "Median time of an answer", kind: .line, unit: "ms", labels: labels,
            series: [
                .init(name: "From the device", values: statistics.slices.map(\.hitMilliseconds), color: "#0f766e"),
                .init(name: "Over the network", values: statistics.slices.map(\.missMilliseconds), color: "#f59e0b"),
            ]
        ).html
    }

    private var savedChart: HTML {
        ChartView(
            id: "bytes", title: "Bytes", kind: .stacked, unit: "MB", labels: labels,
            series: [
                .init(
                    name: "Saved", values: statistics.slices.map { Double($0.savedByteCount) / 1e6 }, color: "#0f766e"),
                .init(
                    name: "Over the network", values: statistics.slices.map { Double($0.wireByteCount) / 1e6 },
                    color: "#cbd5d3"),
            ]
        ).html
    }

    private var outcomeChart: HTML {
        // Every pre-positioned item in the fate it has met so far; the rest wait for their use.
        let counts = statistics.outcomes.mapValues { Double($0.count) }
        let fates: [ItemOutcome.Outcome] = [.used, .unused, .evicted, .replaced]
        let waiting = (counts["prepositioned"] ?? 0) - fates.reduce(0) { $0 + (counts[$1.rawValue] ?? 0) }
        let outcomes =
            ([("Waiting", max(0, waiting), Outcomes.color(of: .prepositioned))]
            + (fates + [.late, .failed]).map {
                ($0.rawValue.capitalized, counts[$0.rawValue] ?? 0, Outcomes.color(of: $0))
            })
            .filter { $0.1 > 0 }
        return ChartView(
            id: "outcomes", title: "Pre-positioned items", kind: .doughnut, unit: "items", labels: outcomes.map(\.0),
            series: [.init(name: "Items", values: outcomes.map(\.1), color: "#0f766e", colors: outcomes.map(\.2))]
        ).html
    }

    private var readinessTable: HTML {
        guard !readiness.isEmpty else { return .empty }
        let rows = readiness.map { row -> HTML in
            let percent = row.total > 0 ? 100 * row.ready / row.total : 0
            return """
                <tr><td><a href="\(PortalPath.segment(app.id, name: row.segment))">\(row.segment)</a></td>
                <td><div class="bar"><i style="width:\(percent)%"></i></div></td>
                <td class="number">\(Format.count(row.ready)) of \(Format.plural(row.total, "device"))</td></tr>
                """
        }
        return """
            <section class="card"><h2>On the devices</h2><div class="table-wrap"><table>
            <thead><tr><th>Segment</th><th>Published version is active</th><th></th></tr></thead><tbody class="middle">\(rows)</tbody></table></div></section>
            """
    }

    private var losses: HTML {
        let count = statistics.losses.values.reduce(0, +)
        guard count > 0 else { return .empty }
        let reasons = statistics.losses.sorted { $0.key < $1.key }.map { "\($0.key) \(Format.count($0.value))" }
        return FormView.notice(
            "Devices had to drop \(Format.plural(count, "record")) in this span: \(reasons.joined(separator: ", ")).",
            style: "warn")
    }
}
