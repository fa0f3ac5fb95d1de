extension LarderOptions {
    /// One thing in an app's options that cannot be used as it is. Everything else is used all the same.
    public struct Finding: Error, Sendable, Hashable, CustomStringConvertible {
        /// "the options dictionary", or the document's path.
        public var document: String
        /// The keys on the way to it, the outermost first; empty for the document itself.
        public var keyPath: [String]
        /// What is there, never the value itself: "a number"; `nil` when nothing is.
        public var found: String?
        /// What belongs there.
        public var expected: String

        /// Creates a value.
        public init(document: String, keyPath: [String], found: String?, expected: String) {
            self.document = document
            self.keyPath = keyPath
            self.found = found
            self.expected = expected
        }

        /// One sentence: which document, which key, what is there, what belongs there.
        public var description: String {
            let place = keyPath.isEmpty ? document : "\(document): \(keyPath.joined(separator: " → "))"
            return "\(place) is \(found ?? "missing"), expected \(expected)"
        }
    }
}

/// Options that lack something the SDK cannot do without, or hold something it cannot use.
public struct LarderOptionsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// At least one.
    public var findings: [LarderOptions.Finding]

    /// Creates an error.
    public init(findings: [LarderOptions.Finding]) { self.findings = findings }

    public var description: String { findings.map(\.description).joined(separator: "; ") }
}

/// The findings of several documents, in the order in which they came up; bounded.
struct OptionsFindings {
    private static let countMax = 100

    private(set) var list: [LarderOptions.Finding] = []
    private(set) var untoldCount = 0

    mutating func add(_ finding: LarderOptions.Finding) {
        if list.count < Self.countMax { list.append(finding) } else { untoldCount += 1 }
    }
}
