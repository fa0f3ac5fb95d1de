import ControlModel

/// One thing that ingest found about an item: how bad it is, and a sentence that says what and what to do.
struct Finding: Sendable, Hashable {
    enum Severity: Int, Sendable, Comparable {
        /// Worth knowing; the item is good.
        case note
        /// Published, but someone should look.
        case warning
        /// Not published.
        case failure

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    var severity: Severity
    var sentence: String

    init(_ severity: Severity, _ sentence: String) {
        self.severity = severity
        self.sentence = sentence
    }
}

extension SegmentItem {
    /// The item's state and sentences from what was found.
    mutating func settle(_ found: [Finding]) {
        findings = found.map(\.sentence)
        state =
            switch found.map(\.severity).max() {
            case .failure: .failed
            case .warning: .warning
            case .note, nil: .ready
            }
    }
}
