/// A JSON document that changes another (RFC 7396).
enum PatchValue: Encodable, Sendable, Equatable {
    case null
    case flag(Bool)
    case number(Int64)
    case text(String)
    case list([PatchValue])
    case object([String: PatchValue])

    /// Puts a value at a place, with an object for each member on the way.
    mutating func put(_ value: PatchValue, at place: some Collection<String>) {
        guard let name = place.first else {
            self = value
            return
        }
        var members: [String: PatchValue] = [:]
        if case .object(let present) = self { members = present }
        members[name, default: .object([:])].put(value, at: place.dropFirst())
        self = .object(members)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
