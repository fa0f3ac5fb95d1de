import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The choice among stored responses of one URL (RFC 9111, section 4.1).
enum Variants {
    /// The fields that a response's `Vary` nominates; `nil` when it never matches: `*`, or something that is no field name.
    static func nominated(by response: HTTPResponse) -> [HTTPFieldName]? {
        guard let vary = response.fields[.vary] else { return [] }
        var names: [HTTPFieldName] = []
        for member in vary.utf8.split(separator: UInt8(ascii: ",")) {
            let text = Substring(member).trimmingSpaces()
            if text.isEmpty { continue }
            guard text != "*", let name = HTTPFieldName(text) else { return nil }
            names.append(name)
        }
        return names
    }

    /// Whether a stored response was made for a request with the same fields as far as its `Vary` nominates them.
    static func matches(_ stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        guard let names = nominated(by: stored.response) else { return false }
        return names.allSatisfy { name in
            if name == .acceptEncoding, !stored.response.fields.contains(.contentEncoding),
                acceptsIdentity(request.fields[.acceptEncoding])
            {
                return true
            }
            return isSame(stored.requestFields[name], request.fields[name], of: name)
        }
    }

    /// The best of those that match, and how many there are.
    ///
    /// One with `Vary` goes before one without (section 4.1, last paragraph), then the later `Date`, arrival and id decide,
    /// so that the order in which they come does not matter.
    static func best(of stored: [StoredResponse], for request: HTTPRequest) -> (entry: StoredResponse, count: Int)? {
        let matching = stored.filter { matches($0, request) }
        guard let first = matching.first else { return nil }
        let best = matching.dropFirst().reduce(first) { isPreferred($1, to: $0) ? $1 : $0 }
        return (best, matching.count)
    }

    static func isPreferred(_ left: StoredResponse, to right: StoredResponse) -> Bool {
        let leftVaries = left.response.fields.contains(.vary), rightVaries = right.response.fields.contains(.vary)
        if leftVaries != rightVaries { return leftVaries }
        let leftDate = Freshness.date(of: left), rightDate = Freshness.date(of: right)
        if leftDate != rightDate { return leftDate > rightDate }
        if left.responseTime != right.responseTime { return left.responseTime > right.responseTime }
        return left.id > right.id
    }

    /// Whether a body without content coding suits a request (RFC 9110, section 12.5.3): unless it is excluded by name, or
    /// by `*` without being named.
    private static func acceptsIdentity(_ value: String?) -> Bool {
        // Nothing is excluded without a weight, as in nearly every request.
        guard let value, value.utf8.contains(UInt8(ascii: ";")) else { return true }
        guard let accepted = Preferences(value) else { return false }
        return (accepted.weight(of: "identity") ?? accepted.weight(of: "*")) != 0
    }

    /// Whether two values of a field mean the same, as far as that is known (RFC 9111, section 4.1).
    private static func isSame(_ left: String?, _ right: String?, of name: HTTPFieldName) -> Bool {
        if left == right { return true }
        guard let left, let right else { return false }
        if Preferences.fieldNames.contains(name), let left = Preferences(left), let right = Preferences(right) {
            return left == right
        }
        return normalized(left) == normalized(right)
    }

    /// The value without the white space around its commas; lines have been joined before (RFC 9111, section 4.1).
    private static func normalized(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: ",")) else { return value }
        return value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            .map { String(Substring($0).trimmingSpaces()) }.joined(separator: ",")
    }
}
