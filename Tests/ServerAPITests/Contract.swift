import DeviceAPI
import Foundation
import HTTPServer
import Primitives
import TestSupport
import Testing

/// The API's description, held against what the server really does.
final class Contract: Sendable {
    /// One operation of the document.
    struct Operation {
        var method: String
        var path: String
        var definition: JSONValue
    }

    let document: JSONValue
    let operations: [Operation]
    /// Operations that have been seen to succeed.
    private let covered = Locked<Set<String>>([])

    init() throws {
        document = try JSONDecoder().decode(JSONValue.self, from: Data(OpenAPI.document.utf8))
        operations = document["paths"].members.flatMap { path, item in
            item.members.map { Operation(method: $0.key.uppercased(), path: path, definition: $0.value) }
        }
    }

    /// Operations that no answer has been seen of yet.
    var uncovered: [String] {
        let seen = covered.withLock { $0 }
        return operations.map { "\($0.method) \($0.path)" }.filter { !seen.contains($0) }.sorted()
    }

    func operation(_ method: String, _ target: String) -> Operation? {
        let parts = target.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        func fits(_ path: String) -> Bool {
            let pattern = path.split(separator: "/", omittingEmptySubsequences: false)
            return pattern.count == parts.count
                && zip(pattern, parts).allSatisfy { $0 == $1 || ($0.hasPrefix("{") && !$1.isEmpty) }
        }
        return operations.filter { $0.method == (method == "HEAD" ? "GET" : method) && fits($0.path) }
            .min { $0.path.count { $0 == "{" } < $1.path.count { $0 == "{" } }
    }

    /// Expects the status to be one that the document gives and the body to be as it says; so for bodies that were taken.
    func check(
        _ response: RawResponse, to method: String, _ target: String, requestBody: Data?, sourceLocation: SourceLocation
    ) {
        guard let operation = operation(method, target) else { return }
        let name = "\(operation.method) \(operation.path)"
        var described = operation.definition["responses"]["\(response.status)"]
        if case .string(let reference) = described["$ref"] { described = resolve(reference) }
        #expect(described != .null, "\(name) does not describe \(response.status)", sourceLocation: sourceLocation)
        for header in described["headers"].members.keys {
            #expect(
                response.fields[header.lowercased()] != nil, "\(name): no \(header)", sourceLocation: sourceLocation)
        }
        guard method != "HEAD" else { return }
        if let (type, content) = described["content"].members.first {
            #expect(response.fields["content-type"] == type, "\(name)", sourceLocation: sourceLocation)
            expect(response.body, toFit: content["schema"], "\(name) \(response.status)", sourceLocation)
        } else {
            #expect(response.body.isEmpty, "\(name)", sourceLocation: sourceLocation)
        }
        guard response.status < 300 else { return }
        covered.withLock { _ = $0.insert(name) }
        let requestSchema = operation.definition["requestBody"]["content"]["application/json"]["schema"]
        if let requestBody, requestBody.first == UInt8(ascii: "{"), requestSchema != .null {
            expect(requestBody, toFit: requestSchema, "\(name) request", sourceLocation)
        }
    }

    private func expect(_ body: Data, toFit schema: JSONValue, _ name: String, _ location: SourceLocation) {
        do {
            let value = try JSONDecoder().decode(JSONValue.self, from: body)
            let faults = faults(of: value, against: schema, at: "")
            #expect(faults == [], "\(name)", sourceLocation: location)
        } catch {
            Issue.record("\(name): not JSON: \(error)", sourceLocation: location)
        }
    }

    func resolve(_ reference: String) -> JSONValue {
        reference.dropFirst(2).split(separator: "/").reduce(document) { $0[String($1)] }
    }

    /// The keywords of JSON Schema that the document uses.
    func faults(of value: JSONValue, against schema: JSONValue, at place: String) -> [String] {
        if case .string(let reference) = schema["$ref"] {
            return faults(of: value, against: resolve(reference), at: place)
        }
        if case .array(let choices) = schema["oneOf"] {
            let fitting = choices.count { faults(of: value, against: $0, at: place).isEmpty }
            return fitting == 1 ? [] : ["\(place): fits \(fitting) of the choices"]
        }
        var found: [String] = []
        let types: [JSONValue] = if case .array(let list) = schema["type"] { list } else { [schema["type"]] }
        if types != [.null], !types.contains(where: { value.isOf(type: $0) }) {
            found.append("\(place): \(value.summary) is not \(types)")
        }
        if case .array(let choices) = schema["enum"], !choices.contains(value) {
            found.append("\(place): \(value.summary) is none of the choices")
        }
        if case .string(let pattern) = schema["pattern"], case .string(let text) = value,
            text.range(of: pattern, options: .regularExpression) == nil
        {
            found.append("\(place): \(text) does not match \(pattern)")
        }
        if schema["format"] == .string("date-time"), case .string(let text) = value,
            (try? Date(text, strategy: .iso8601)) == nil
        {
            found.append("\(place): \(text) is no date")
        }
        if case .array(let values) = value {
            found += values.enumerated().flatMap { faults(of: $1, against: schema["items"], at: "\(place)/\($0)") }
        }
        guard case .object(let members) = value else { return found }
        if case .array(let required) = schema["required"] {
            for case .string(let name) in required where members[name] == nil { found.append("\(place): no \(name)") }
        }
        for (name, member) in members {
            let known = schema["properties"][name]
            if known != .null {
                found += faults(of: member, against: known, at: "\(place)/\(name)")
            } else if case .object = schema["additionalProperties"] {
                found += faults(of: member, against: schema["additionalProperties"], at: "\(place)/\(name)")
            } else if schema["additionalProperties"] == .bool(true) {
                continue
            } else if schema["properties"] != .null || schema["additionalProperties"] == .bool(false) {
                // Nothing is answered that the document does not tell of.
                found.append("\(place)/\(name): not described")
            }
        }
        return found
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    var members: [String: JSONValue] {
        if case .object(let members) = self { members } else { [:] }
    }

    func isOf(type: JSONValue) -> Bool {
        switch (self, type) {
        case (.null, .string("null")), (.bool, .string("boolean")), (.integer, .string("integer")),
            (.integer, .string("number")), (.number, .string("number")), (.string, .string("string")),
            (.array, .string("array")), (.object, .string("object")):
            true
        default: false
        }
    }
}
