/// A JSON document as it came, for readers that must say precisely what is wrong with it.
public enum JSONValue: Sendable, Hashable, Decodable {
    case null
    case bool(Bool)
    /// A number that is whole and fits.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // Which of these decodes is the question asked; only the last failure is one. Strings come first as the most common.
        if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .integer(number)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    /// The value as a sentence names it: "the string \"x\"", "a list of 3".
    public var summary: String {
        switch self {
        case .null: "null"
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): "the number \(number)"
        case .number(let number): "the number \(number)"
        case .string(let text):
            text.count <= 40
                ? "the string \"\(text)\"" : "the string \"\(text.prefix(40))…\" of \(text.count) characters"
        case .array(let values): "a list of \(values.count)"
        case .object: "an object"
        }
    }
}
