import TestSupport

/// The suite's size and result, as `docs/caching.md` shows them.
enum SuitePage {
    static let beginning = "<!-- the suite: written by `make suite` -->"
    static let end = "<!-- the end of the suite -->"

    /// The page's part between the two marks.
    static func text(of cases: [CachingCase]) -> String {
        let carried = CachingCase.Front.allCases.map { front in
            "\(front.rawValue) \(cases.count { $0.exceptions[front] == nil })"
        }
        return """
            \(cases.count) cases of \(cases.map(\.exchanges.count).reduce(0, +)) exchanges, all of them kept. Carried by \
            each front: \(carried.joined(separator: ", ")).

            \(sections(of: cases))

            \(exceptions(of: cases))
            """
    }

    private static func sections(of cases: [CachingCase]) -> String {
        let groups = Dictionary(grouping: cases) { $0.reference.isEmpty ? "the product's own" : $0.reference }
        var rows = groups.sorted { key(of: $0.key) < key(of: $1.key) }.map { row($0.key, $0.value) }
        rows.append(row("**all**", cases))
        let fronts = CachingCase.Front.allCases.map(\.rawValue)
        let heads = ["section"] + CachingCase.Kind.allCases.map(\.rawValue) + fronts
        let rule = heads.map { _ in "---" }
        return ([heads, rule] + rows).map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
    }

    /// Of each kind how many cases, and of each front how many of those it carries are kept.
    private static func row(_ name: String, _ cases: [CachingCase]) -> [String] {
        let kinds = CachingCase.Kind.allCases.map { kind in cases.count { $0.kind == kind } }
        let fronts = CachingCase.Front.allCases.map { front in cases.count { $0.exceptions[front] == nil } }
        return [name] + kinds.map { $0 == 0 ? "" : String($0) } + fronts.map { $0 == 0 ? "–" : "\($0) of \($0)" }
    }

    private static func exceptions(of cases: [CachingCase]) -> String {
        var lines: [String] = []
        for front in CachingCase.Front.allCases {
            let reasons = Dictionary(grouping: cases) { $0.exceptions[front] }
            for (reason, left) in reasons.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
                guard let reason else { continue }
                let names = left.map(\.name).joined(separator: "; ")
                lines.append("- \(front.rawValue), \(left.count) left out: \(reason) (\(names)).")
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Sorts sections by document and number.
    private static func key(of reference: String) -> String {
        reference.split { !$0.isLetter && !$0.isNumber }.map { part in
            Int(part).map { String(repeating: "0", count: max(0, 6 - String($0).count)) + String($0) } ?? String(part)
        }.joined(separator: " ")
    }
}
