import Foundation

/// Collects what was measured: tables in the order in which they came, and the bars that they are held against.
final class Report {
    /// A measured figure beside the one that was promised.
    struct Bar {
        enum Direction { case atMost, atLeast }

        var name: String
        var direction: Direction
        var limit: Double
        var unit: String
        /// `nil` when it could not be measured; `note` says why.
        var measured: Double?
        var note: String?

        var isMet: Bool? {
            measured.map { direction == .atMost ? $0 <= limit : $0 >= limit }
        }
    }

    private(set) var bars: [Bar] = []
    private var chapters: [(title: String, lines: [String])] = []

    /// Begins a chapter; tables and remarks go under its title.
    func begin(_ title: String) {
        chapters.append((title, []))
        FileHandle.standardError.write(Data("… \(title)\n".utf8))
    }

    /// Adds a table: a column of names, then columns of figures.
    func table(_ title: String, columns: [String], rows: [[String]]) {
        add("### \(title)")
        var lines = ["| | " + columns.joined(separator: " | ") + " |"]
        lines.append("| --- |" + String(repeating: " ---: |", count: columns.count))
        lines += rows.map { "| " + $0.joined(separator: " | ") + " |" }
        add(lines.joined(separator: "\n"))
    }

    /// Adds a paragraph, such as the reason why a peer is not in a table.
    func remark(_ text: String) { add(text) }

    /// Holds a figure against a bar.
    func bar(
        _ name: String, _ direction: Bar.Direction, _ limit: Double, _ unit: String, measured: Double?,
        note: String? = nil
    ) {
        bars.append(Bar(name: name, direction: direction, limit: limit, unit: unit, measured: measured, note: note))
    }

    /// The whole as Markdown: the bars, then the chapters.
    var markdown: String {
        var parts: [String] = []
        if !bars.isEmpty { parts.append("## Bars\n\n" + barTable) }
        for chapter in chapters { parts.append((["## \(chapter.title)"] + chapter.lines).joined(separator: "\n\n")) }
        return parts.joined(separator: "\n\n") + "\n"
    }

    private var barTable: String {
        var lines = ["| bar | promised | measured | |", "| --- | ---: | ---: | --- |"]
        for bar in bars {
            let sign = bar.direction == .atMost ? "≤" : "≥"
            let measured = bar.measured.map { Self.figure($0) + bar.unit } ?? "–"
            let verdict = bar.isMet.map { $0 ? "met" : "**not met**" } ?? "not measured"
            let words = [verdict, bar.note].compactMap { $0 }.joined(separator: "; ")
            lines.append("| \(bar.name) | \(sign) \(Self.figure(bar.limit))\(bar.unit) | \(measured) | \(words) |")
        }
        return lines.joined(separator: "\n")
    }

    private func add(_ text: String) {
        if chapters.isEmpty { begin("Results") }
        chapters[chapters.count - 1].lines.append(text)
    }

    /// A figure with as many decimals as mean something, and thousands set apart.
    static func figure(_ value: Double) -> String {
        switch abs(value) {
        case 100_000...: grouped(Int(value.rounded()) / 100 * 100)
        case 1_000...: grouped(Int(value.rounded()))
        case 100...: String(format: "%.0f", value)
        case 20...: String(format: "%.1f", value)
        default: String(format: "%.2f", value)
        }
    }

    private static func grouped(_ value: Int) -> String {
        var digits = Array(String(abs(value)))
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: position)
            position -= 3
        }
        return (value < 0 ? "-" : "") + String(digits)
    }
}
