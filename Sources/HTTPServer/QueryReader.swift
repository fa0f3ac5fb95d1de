public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads the query of a request strictly: malformed, doubled and unknown parameters are refused by name, as 400 problems.
public struct QueryReader {
    private var values: [String: [String]]
    private var knownNames: [String] = []

    /// Starts to read.
    public init(_ request: ServerRequest) {
        values = Dictionary(grouping: request.query, by: \.name).mapValues { $0.map(\.value) }
    }

    /// A text; `nil` when absent.
    public mutating func string(_ name: String) throws(ProblemDocument) -> String? {
        knownNames.append(name)
        guard let found = values.removeValue(forKey: name) else { return nil }
        guard found.count == 1 else { throw Self.problem("\(name): given \(found.count) times.") }
        return found.first
    }

    /// A whole number in bounds; the default when absent.
    public mutating func integer(
        _ name: String, in bounds: ClosedRange<Int>, default standard: Int
    ) throws(ProblemDocument) -> Int {
        guard let text = try string(name) else { return standard }
        guard let number = Int(text), bounds.contains(number) else {
            let expected =
                bounds.upperBound == .max
                ? "from \(bounds.lowerBound)" : "from \(bounds.lowerBound) to \(bounds.upperBound)"
            throw Self.problem("\(name): expected a whole number \(expected), found \"\(text.prefix(40))\".")
        }
        return number
    }

    /// A date in ISO 8601, such as "2026-01-31T12:00:00Z"; `nil` when absent.
    public mutating func date(_ name: String) throws(ProblemDocument) -> Date? {
        guard let text = try string(name) else { return nil }
        do {
            return try Date(text, strategy: .iso8601)
        } catch {
            throw Self.problem(
                "\(name): expected a date such as 2026-01-31T12:00:00Z, found \"\(text.prefix(40))\".")
        }
    }

    /// Refuses parameters that nobody asked for.
    public func finish() throws(ProblemDocument) {
        guard let name = values.keys.min() else { return }
        let known = knownNames.isEmpty ? "none" : knownNames.joined(separator: ", ")
        throw Self.problem("\(name.prefix(100)): unknown parameter; this route takes \(known).")
    }

    private static func problem(_ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/invalid-query", title: "Invalid query", status: 400, detail: detail)
    }
}
