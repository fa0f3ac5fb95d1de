/// Cuts a `Cache-Control` value into directives: total on any input, one pass, one string for each name and argument.
struct DirectiveTokenizer {
    /// One directive.
    struct Token {
        /// In lower case.
        var name: String
        /// Without its quotation marks and backslashes.
        var argument: String? = nil
        /// Something stands where the grammar allows nothing, such as white space before the equals sign.
        var isMalformed = false
    }

    private var rest: Substring.UTF8View

    init(_ value: String) { rest = value[...].utf8 }

    /// The next directive; empty list members are passed over.
    mutating func next() -> Token? {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
        guard !rest.isEmpty else { return nil }
        let nameBytes = rest.prefix { !Self.endsName($0) }
        rest = rest[nameBytes.endIndex...]
        let trimmed = nameBytes.trimmingOptionalWhitespace()
        var token = Token(name: Substring(trimmed).lowercased())
        token.isMalformed = trimmed.endIndex != nameBytes.endIndex && rest.first == UInt8(ascii: "=")
        if rest.first == UInt8(ascii: "=") {
            rest = rest.dropFirst()
            if rest.first != UInt8(ascii: "\"") || !readQuoted(&token) { readPlain(&token) }
        } else {
            // A stray quotation mark in the name: it must not hide what follows the next comma.
            rest = rest.drop { $0 != UInt8(ascii: ",") }
        }
        return token
    }

    /// Reads a quoted string; `false`, with nothing consumed, when it does not end.
    private mutating func readQuoted(_ token: inout Token) -> Bool {
        var bytes: [UInt8] = []
        var cursor = rest.dropFirst()
        while let byte = cursor.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                token.argument = String(decoding: bytes, as: UTF8.self)
                let junk = cursor.prefix { $0 != UInt8(ascii: ",") }
                token.isMalformed = token.isMalformed || !junk.trimmingOptionalWhitespace().isEmpty
                rest = cursor[junk.endIndex...]
                return true
            case UInt8(ascii: "\\"):
                guard let escaped = cursor.popFirst() else { return false }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return false
    }

    private mutating func readPlain(_ token: inout Token) {
        let bytes = rest.prefix { $0 != UInt8(ascii: ",") }
        rest = rest[bytes.endIndex...]
        let trimmed = bytes.trimmingOptionalWhitespace()
        let isPadded = trimmed.startIndex != bytes.startIndex
        token.argument = String(Substring(trimmed))
        token.isMalformed = token.isMalformed || isPadded || !HTTPFieldName.isToken(Substring(trimmed))
    }

    private static func endsName(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ",") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\"")
    }
}
