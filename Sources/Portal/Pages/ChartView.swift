import Wire

/// The data of a chart, as the script reads it.
struct ChartData: Sendable, Encodable {
    enum Kind: String, Sendable, Encodable { case stacked, line, doughnut }

    struct Series: Sendable, Encodable {
        var name: String
        var values: [Double?]
        var color: String
        /// One for each value, in a doughnut.
        var colors: [String]?
    }

    var kind: Kind
    var unit: String
    var labels: [String]
    var series: [Series]
}

/// A chart in a card, with the same figures as a table for those who cannot or do not want to see it drawn.
struct ChartView: Sendable {
    var id: String
    var title: String
    var data: ChartData

    init(id: String, title: String, kind: ChartData.Kind, unit: String, labels: [String], series: [ChartData.Series]) {
        self.id = id
        self.title = title
        data = ChartData(kind: kind, unit: unit, labels: labels, series: series)
    }

    private var hasValues: Bool { data.series.contains { $0.values.contains { ($0 ?? 0) != 0 } } }

    var html: HTML {
        guard hasValues else {
            return
                "<section class=\"card\"><h2>\(title)</h2><div class=\"empty\"><p>Nothing in this span yet.</p></div></section>"
        }
        return """
            <section class="card"><h2>\(title)</h2>
            <div class="chart"><canvas data-chart="data-\(id)" role="img" aria-label="\(title); the table below has the figures"></canvas></div>
            <script type="application/json" id="data-\(id)">\(json)</script>
            <details><summary>Figures</summary>\(table)</details></section>
            """
    }

    /// JSON that cannot end the script element: every `<` is written as an escape.
    private var json: HTML {
        // Strings and numbers always encode; without data the script draws nothing and the table remains.
        let text = (try? WireCoding.encode(data)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
        return HTML(
            stringLiteral: text.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c"))
    }

    private var table: HTML {
        let heads = data.series.map { series -> HTML in "<th class=\"number\">\(series.name)</th>" }
        let rows = data.labels.indices.map { index -> HTML in
            let cells = data.series.map { series -> HTML in
                "<td class=\"number\">\(figure(series.values[index]))</td>"
            }
            return "<tr><td>\(data.labels[index])</td>\(cells)</tr>"
        }
        return """
            <div class="table-wrap"><table><thead><tr><th>\(data.unit)</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div>
            """
    }

    private func figure(_ value: Double?) -> String {
        guard let value else { return "–" }
        return value == value.rounded() ? Format.count(Int(value)) : Format.oneDigit(value)
    }
}
