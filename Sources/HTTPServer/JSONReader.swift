import HTTPModel
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads one JSON object strictly: members of the wrong kind, out of bounds, missing or unknown are refused by name.
///
///     var body = try JSONReader(request)
///     let name = try body.string("name", characters: 1...100)
///     try body.finish()
///
/// Refusals are ``ProblemDocument``s of status 400 that say where (a JSON Pointer, RFC 6901), what was expected and what was
/// found; 415 when the request says that its body is no JSON.
public struct JSONReader {
    private let pointer: String
    private var members: [String: JSONValue]
    private var knownNames: [String] = []

    /// Reads the body of a request. A missing body reads as an empty object; a missing `Content-Type` as JSON.
    public init(_ request: ServerRequest) throws(ProblemDocument) {
        try Self.checkMediaType(of: request)
        guard !request.body.isEmpty else {
            self.init(members: [:], pointer: "")
            return
        }
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: request.body)
        } catch {
            throw Self.malformed(error)
        }
        guard case .object(let members) = value else {
            throw Self.problem("The body: expected an object, found \(value.summary).")
        }
        self.init(members: members, pointer: "")
    }

    private init(members: [String: JSONValue], pointer: String) {
        self.members = members
        self.pointer = pointer
    }

    // MARK: - Members

    /// A text whose length is in bounds.
    public mutating func string(_ name: String, characters: ClosedRange<Int>) throws(ProblemDocument) -> String {
        guard let text = try optionalString(name, characters: characters) else {
            throw missing(name, expected: Self.text(characters))
        }
        return text
    }

    /// A text whose length is in bounds; `nil` when absent or null.
    public mutating func optionalString(
        _ name: String, characters: ClosedRange<Int>
    ) throws(ProblemDocument) -> String? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value, characters.contains(text.count), !text.utf8.contains(0) else {
            throw mismatch(name, expected: Self.text(characters), found: value)
        }
        return text
    }

    /// A whole number in bounds.
    public mutating func integer(_ name: String, in bounds: ClosedRange<Int64>) throws(ProblemDocument) -> Int64 {
        guard let number = try optionalInteger(name, in: bounds) else {
            throw missing(name, expected: Self.number(bounds))
        }
        return number
    }

    /// A whole number in bounds; `nil` when absent or null.
    public mutating func optionalInteger(
        _ name: String, in bounds: ClosedRange<Int64>
    ) throws(ProblemDocument) -> Int64? {
        guard let value = take(name) else { return nil }
        guard case .integer(let number) = value, bounds.contains(number) else {
            throw mismatch(name, expected: Self.number(bounds), found: value)
        }
        return number
    }

    /// `true` or `false`; `nil` when absent or null.
    public mutating func optionalBool(_ name: String) throws(ProblemDocument) -> Bool? {
        guard let value = take(name) else { return nil }
        guard case .bool(let flag) = value else { throw mismatch(name, expected: "true or false", found: value) }
        return flag
    }

    /// A list of texts; `nil` when absent or null.
    public mutating func optionalStrings(
        _ name: String, count: ClosedRange<Int>, characters: ClosedRange<Int>
    ) throws(ProblemDocument) -> [String]? {
        guard let value = take(name) else { return nil }
        guard case .array(let values) = value, count.contains(values.count) else {
            throw mismatch(name, expected: "a list of \(count.lowerBound) to \(count.upperBound)", found: value)
        }
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            guard case .string(let text) = value, characters.contains(text.count), !text.utf8.contains(0) else {
                throw mismatch("\(name)/\(index)", expected: Self.text(characters), found: value)
            }
            texts.append(text)
        }
        return texts
    }

    /// One of the values of a type; `nil` when absent or null.
    public mutating func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String
    ) throws(ProblemDocument) -> Choice? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value, let choice = Choice(rawValue: text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw mismatch(name, expected: "one of \(choices)", found: value)
        }
        return choice
    }

    /// A date in ISO 8601; `nil` when absent or null.
    public mutating func optionalDate(_ name: String) throws(ProblemDocument) -> Date? {
        guard let value = take(name) else { return nil }
        guard case .string(let text) = value, let date = try? Date(text, strategy: .iso8601) else {
            throw mismatch(name, expected: "a date such as 2026-01-31T12:00:00Z", found: value)
        }
        return date
    }

    /// A list of objects, each to be read and finished on its own; `nil` when absent or null.
    public mutating func optionalObjects(
        _ name: String, count: ClosedRange<Int>
    ) throws(ProblemDocument) -> [JSONReader]? {
        guard let value = take(name) else { return nil }
        guard case .array(let values) = value, count.contains(values.count) else {
            throw mismatch(name, expected: "a list of \(count.lowerBound) to \(count.upperBound)", found: value)
        }
        var readers: [JSONReader] = []
        readers.reserveCapacity(values.count)
        for (index, value) in values.enumerated() {
            guard case .object(let members) = value else {
                throw mismatch("\(name)/\(index)", expected: "an object", found: value)
            }
            readers.append(JSONReader(members: members, pointer: "\(pointer)/\(name)/\(index)"))
        }
        return readers
    }

    /// The members that nobody has asked for yet, sorted: for objects whose members are names.
    public var names: [String] { members.keys.sorted() }

    /// An object, to be read and finished on its own; `nil` when absent or null.
    public mutating func optionalObject(_ name: String) throws(ProblemDocument) -> JSONReader? {
        guard let value = take(name) else { return nil }
        guard case .object(let members) = value else { throw mismatch(name, expected: "an object", found: value) }
        return JSONReader(members: members, pointer: "\(pointer)/\(name)")
    }

    /// Whether a member is there and null, which some members take as "no limit".
    public func isNull(_ name: String) -> Bool { members[name] == .null }

    /// Refuses members that nobody asked for.
    public func finish() throws(ProblemDocument) {
        guard let name = members.keys.min() else { return }
        let known = knownNames.isEmpty ? "no members" : knownNames.joined(separator: ", ")
        throw Self.problem("\(pointer)/\(name.prefix(100)): unknown member; expected \(known).")
    }

    /// The problem of a member whose value is wrong for a reason that its kind does not tell.
    public func refusal(_ name: String, _ reason: String) -> ProblemDocument {
        Self.problem("\(pointer)/\(name): \(reason)")
    }

    // MARK: - Refusals

    private mutating func take(_ name: String) -> JSONValue? {
        knownNames.append(name)
        guard let value = members.removeValue(forKey: name), value != .null else { return nil }
        return value
    }

    private func missing(_ name: String, expected: String) -> ProblemDocument {
        Self.problem("\(pointer)/\(name): expected \(expected), found nothing.")
    }

    private func mismatch(_ name: String, expected: String, found: JSONValue) -> ProblemDocument {
        Self.problem("\(pointer)/\(name): expected \(expected), found \(found.summary).")
    }

    private static func text(_ characters: ClosedRange<Int>) -> String {
        characters.upperBound == .max
            ? "a string" : "a string of \(characters.lowerBound) to \(characters.upperBound) characters"
    }

    private static func number(_ bounds: ClosedRange<Int64>) -> String {
        bounds.upperBound == .max
            ? "a whole number from \(bounds.lowerBound)"
            : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    }

    private static func problem(_ detail: String) -> ProblemDocument {
        ProblemDocument(type: "/problems/invalid-body", title: "Invalid body", status: 400, detail: detail)
    }

    private static func malformed(_ error: any Error) -> ProblemDocument {
        var reason = "The body is not JSON."
        if case DecodingError.dataCorrupted(let context) = error {
            let underlying = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"] as? String
            reason += " \(underlying ?? context.debugDescription)"
        }
        return ProblemDocument(type: "/problems/malformed-json", title: "Malformed JSON", status: 400, detail: reason)
    }

    private static func checkMediaType(of request: ServerRequest) throws(ProblemDocument) {
        guard !request.body.isEmpty, let type = request.fields[.contentType] else { return }
        let essence = (type.split(separator: ";").first ?? "").lowercased().filter { $0 != " " && $0 != "\t" }
        guard essence == "application/json" || essence.hasSuffix("+json") else {
            throw ProblemDocument(
                type: "/problems/unsupported-media-type", title: "Unsupported media type", status: 415,
                detail: "This route takes application/json, and the request says \(type.prefix(100)).")
        }
        guard request.fields[.contentEncoding] == nil else {
            throw ProblemDocument(
                type: "/problems/unsupported-content-coding", title: "Unsupported content coding", status: 415,
                detail: "This route takes bodies without a content coding.")
        }
    }
}
