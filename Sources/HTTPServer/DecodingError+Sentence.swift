extension DecodingError {
    /// What is wrong and where, as a sentence with a JSON Pointer (RFC 6901).
    public var sentence: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.pointer(context.codingPath + [key])): missing."
        case .valueNotFound(let type, let context):
            "\(Self.pointer(context.codingPath)): expected \(type), found null."
        case .typeMismatch(let type, let context):
            "\(Self.pointer(context.codingPath)): expected \(type), found another kind of value."
        case .dataCorrupted(let context): "\(Self.pointer(context.codingPath)): \(context.debugDescription)"
        @unknown default: "The document does not decode."
        }
    }

    private static func pointer(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "The document" }
        return path.map { key in "/" + (key.intValue.map(String.init) ?? key.stringValue) }.joined()
    }
}
