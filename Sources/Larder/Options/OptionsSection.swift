import Foundation

/// A dictionary in a document of options, and where it stands.
struct OptionsSection {
    let document: String
    var keyPath: [String] = []
    let values: [String: Any]

    /// The dictionary under a key; `nil` when there is none, which is a finding only when something else is there.
    func section(_ key: String, noting findings: inout OptionsFindings) -> OptionsSection? {
        guard let value = values[key] else { return nil }
        guard let inner = value as? [String: Any] else {
            note(value, at: [key], expected: "a dictionary", in: &findings)
            return nil
        }
        return OptionsSection(document: document, keyPath: keyPath + [key], values: inner)
    }

    /// The string under a key; an empty one is a finding.
    func string(_ key: String, noting findings: inout OptionsFindings) -> String? {
        guard let value = values[key] else { return nil }
        return string(value, at: [key], noting: &findings)
    }

    /// The strings under a key; members of another type are findings, the others count.
    func strings(_ key: String, noting findings: inout OptionsFindings) -> [String]? {
        guard let value = values[key] else { return nil }
        return strings(value, at: [key], noting: &findings)
    }

    /// The lists of strings by name under a key.
    func lists(_ key: String, noting findings: inout OptionsFindings) -> [String: [String]]? {
        guard let section = section(key, noting: &findings) else { return nil }
        var lists: [String: [String]] = [:]
        for name in section.values.keys.sorted() { lists[name] = section.strings(name, noting: &findings) }
        return lists
    }

    /// Names the keys that mean nothing here: one of them may be another one misspelt.
    func noteKeys(besides known: [String], in findings: inout OptionsFindings) {
        for key in values.keys.sorted() where !known.contains(key) {
            findings.add(
                .init(
                    document: document, keyPath: keyPath + [key], found: "not a key that is known",
                    expected: "one of \(known.joined(separator: ", "))"))
        }
    }

    // MARK: - Parts

    private func string(_ value: Any, at keys: [String], noting findings: inout OptionsFindings) -> String? {
        if let text = value as? String, !text.isEmpty { return text }
        note(value, at: keys, expected: "a string with at least one character", in: &findings)
        return nil
    }

    private func strings(_ value: Any, at keys: [String], noting findings: inout OptionsFindings) -> [String]? {
        guard let members = value as? [Any] ?? (value as? Set<AnyHashable>).map({ $0.map(\.base) }) else {
            note(value, at: keys, expected: "an array of strings", in: &findings)
            return nil
        }
        return members.enumerated().compactMap { index, member in
            string(member, at: keys + ["item \(index)"], noting: &findings)
        }
    }

    private func note(_ value: Any, at keys: [String], expected: String, in findings: inout OptionsFindings) {
        findings.add(
            .init(document: document, keyPath: keyPath + keys, found: Self.name(of: value), expected: expected))
    }

    /// What a value of a property list or of JSON is called.
    private static func name(of value: Any) -> String {
        switch value {
        case let text as String: text.isEmpty ? "an empty string" : "a string"
        case is [AnyHashable: Any]: "a dictionary"
        case is [Any], is Set<AnyHashable>: "an array"
        case is Data: "data"
        case is Date: "a date"
        case is NSNull: "null"
        case let number as NSNumber: String(cString: number.objCType) == "c" ? "true or false" : "a number"
        default: "a value of type \(type(of: value))"
        }
    }
}
