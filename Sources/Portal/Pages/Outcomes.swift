import Wire

/// How outcomes of exchanges and items are named and coloured.
enum Outcomes {
    static let hits: [ExchangeRecord.Outcome] = [.pinnedHit, .cacheHit, .revalidated, .staleOnError]
    static let all: [ExchangeRecord.Outcome] = hits + [.miss, .passedThrough, .failed]

    static func color(of outcome: ItemOutcome.Outcome) -> String {
        switch outcome {
        case .prepositioned: "#94a3b8"
        case .used: "#0f766e"
        case .late: "#f59e0b"
        case .unused: "#cbd5d3"
        case .evicted: "#a78bfa"
        case .replaced: "#60a5fa"
        case .failed: "#dc2626"
        }
    }
}

extension ExchangeRecord.Outcome {
    /// The label as a badge.
    var badge: HTML {
        let style =
            switch self {
            case .pinnedHit, .cacheHit, .revalidated: "good"
            case .staleOnError: "warn"
            case .miss, .passedThrough: ""
            case .failed: "bad"
            }
        return "<span class=\"badge \(style)\">\(label)</span>"
    }

    var label: String {
        switch self {
        case .pinnedHit: "Pre-positioned"
        case .cacheHit: "Cached"
        case .revalidated: "Confirmed"
        case .staleOnError: "Stale, origin down"
        case .miss: "Network"
        case .passedThrough: "Passed through"
        case .failed: "Failed"
        }
    }

    var color: String {
        switch self {
        case .pinnedHit: "#0f766e"
        case .cacheHit: "#2dd4bf"
        case .revalidated: "#99e0d4"
        case .staleOnError: "#a78bfa"
        case .miss: "#f59e0b"
        case .passedThrough: "#cbd5d3"
        case .failed: "#dc2626"
        }
    }
}
