import HTTPModel

/// A list of what a client accepts, each with a weight, as in `Accept-Language: de, en;q=0.8` (RFC 9110, section 12.4.2).
///
/// Two lists are the same when they mean the same: the order of the members, the case of their letters, white space and the
/// way to write a weight have no meaning (RFC 9110, section 12.5).
struct Preferences: Hashable {
    /// One member of the list.
    struct Member: Hashable {
        /// In lower case.
        var name: String
        /// Thousandths; 0 for what is not wanted at all.
        var weight: Int
    }

    /// In the order of name and weight.
    let members: [Member]

    /// The fields that are such lists of names.
    static let fieldNames: Set<HTTPFieldName> = [.acceptEncoding, "Accept-Language", "Accept-Charset"]

    /// Reads a field value; `nil` for anything that is not a list of names with at most a weight each.
    init?(_ value: String) {
        var members: [Member] = []
        for text in value.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
                .map { Substring($0).trimmingSpaces() }
            if parts == [""] { continue }
            guard parts.count <= 2, let name = parts.first, HTTPFieldName(name) != nil,
                let weight = parts.count == 2 ? Self.weight(parts[1]) : 1000
            else { return nil }
            members.append(Member(name: name.lowercased(), weight: weight))
        }
        self.members = members.sorted { ($0.name, $0.weight) < ($1.name, $1.weight) }
    }

    /// The weight of a name; `nil` when it is not in the list.
    func weight(of name: String) -> Int? { members.first { $0.name == name }?.weight }

    /// `q=` and a number from 0 to 1 with up to three digits after the point.
    private static func weight(_ parameter: Substring) -> Int? {
        guard parameter.lowercased().hasPrefix("q="), parameter.utf8.count <= 7 else { return nil }
        let number = parameter.utf8.dropFirst(2)
        guard let units = number.first, units == UInt8(ascii: "0") || units == UInt8(ascii: "1") else { return nil }
        let fraction = number.dropFirst()
        guard fraction.isEmpty || fraction.first == UInt8(ascii: ".") else { return nil }
        var weight = Int(units - 0x30) * 1000, scale = 100
        for digit in fraction.dropFirst() {
            guard 0x30...0x39 ~= digit else { return nil }
            weight += Int(digit - 0x30) * scale
            scale /= 10
        }
        return weight <= 1000 ? weight : nil
    }
}
