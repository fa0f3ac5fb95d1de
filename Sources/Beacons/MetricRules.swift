import HTTPModel

/// Which metrics a request counts for.
struct MetricRules: Sendable {
    /// Most prefixes that are compared.
    static let prefixCountMax = 500

    private var rules: [(metric: String, prefix: String)] = []
    /// Prefixes that can match nothing, and why, for people.
    private(set) var findings: [String] = []

    /// Reads metric names with their prefixes.
    init(_ metrics: [String: [String]]) {
        for (metric, prefixes) in metrics.sorted(by: { $0.key < $1.key }) {
            for text in prefixes {
                guard let prefix = Self.normal(text) else {
                    findings.append(
                        "a URL prefix of the metric \(metric) is none of http or https: \(text.prefix(200))")
                    continue
                }
                guard rules.count < Self.prefixCountMax else {
                    findings.append(
                        "more than \(Self.prefixCountMax) URL prefixes: those of \(metric) and after are ignored")
                    return
                }
                rules.append((metric, prefix))
            }
        }
    }

    var isEmpty: Bool { rules.isEmpty }

    /// The metrics that have a prefix of a URL, each once, in alphabetical order.
    /// - Parameter url: in normal form, without query.
    func metrics(for url: String) -> [String] {
        var found: [String] = []
        for rule in rules where found.last != rule.metric && url.utf8.starts(with: rule.prefix.utf8) {
            found.append(rule.metric)
        }
        return found
    }

    /// The prefix with scheme and host in lower case and without a query; `nil` when it begins no http or https URL.
    private static func normal(_ text: String) -> String? {
        let bare = text.prefix { $0 != "?" && $0 != "#" }
        guard let separator = bare.firstRange(of: "://") else { return nil }
        let scheme = bare[..<separator.lowerBound].lowercased()
        let rest = bare[separator.upperBound...]
        let host = rest.prefix { $0 != "/" }
        guard scheme == "http" || scheme == "https", !host.isEmpty else { return nil }
        let path = rest[host.endIndex...]
        // The normal form of the URL drops a default port; a host without a path may go on with anything.
        let whole = HTTPURL("\(scheme)://\(host)/").map { String($0.string.dropLast()) }
        guard let origin = whole ?? (path.isEmpty ? "\(scheme)://\(host.lowercased())" : nil) else { return nil }
        return origin + path
    }
}
