#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parsing algorithms of RFC 9651, section 4.2, over bytes.
struct StructuredFieldParser {
    /// The value breaks a rule.
    struct Malformed: Error {}

    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { position == bytes.count }

    mutating func skipSpaces() {
        while peek() == 0x20 { position += 1 }
    }

    mutating func list() throws(Malformed) -> [StructuredField.Member] {
        var members: [StructuredField.Member] = []
        while !isAtEnd {
            members.append(try member())
            guard try advanceToNextMember() else { break }
        }
        return members
    }

    mutating func dictionary() throws(Malformed) -> StructuredField.Dictionary {
        var members = StructuredField.Dictionary()
        while !isAtEnd {
            let key = try key()
            if take("=") {
                members[key] = try member()
            } else {
                members[key] = .item(StructuredField.Item(.boolean(true), try parameters()))
            }
            guard try advanceToNextMember() else { break }
        }
        return members
    }

    mutating func item() throws(Malformed) -> StructuredField.Item {
        let value = try bareItem()
        return StructuredField.Item(value, try parameters())
    }

    /// Steps over a comma; `false` at the end of the value.
    private mutating func advanceToNextMember() throws(Malformed) -> Bool {
        skipOptionalWhitespace()
        if isAtEnd { return false }
        try expect(",")
        skipOptionalWhitespace()
        if isAtEnd { throw Malformed() }
        return true
    }

    private mutating func member() throws(Malformed) -> StructuredField.Member {
        if peek() == UInt8(ascii: "(") { return .innerList(try innerList()) }
        return .item(try item())
    }

    private mutating func innerList() throws(Malformed) -> StructuredField.InnerList {
        try expect("(")
        var items: [StructuredField.Item] = []
        while !isAtEnd {
            skipSpaces()
            if take(")") { return StructuredField.InnerList(items, try parameters()) }
            items.append(try item())
            guard peek() == 0x20 || peek() == UInt8(ascii: ")") else { throw Malformed() }
        }
        throw Malformed()
    }

    private mutating func parameters() throws(Malformed) -> StructuredField.Parameters {
        var parameters = StructuredField.Parameters()
        while take(";") {
            skipSpaces()
            let key = try key()
            parameters[key] = take("=") ? try bareItem() : .boolean(true)
        }
        return parameters
    }

    private mutating func key() throws(Malformed) -> String {
        guard let first = peek(), StructuredFieldGrammar.startsKey(first) else { throw Malformed() }
        return take(while: StructuredFieldGrammar.isKeyByte)
    }

    private mutating func bareItem() throws(Malformed) -> StructuredField.BareItem {
        guard let first = peek() else { throw Malformed() }
        switch first {
        case UInt8(ascii: "-"), 0x30...0x39: return try number()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: ":"): return .bytes(try byteSequence())
        case UInt8(ascii: "?"): return .boolean(try boolean())
        case UInt8(ascii: "@"): return .date(try date())
        case UInt8(ascii: "%"): return .displayString(try displayString())
        case _ where StructuredFieldGrammar.startsToken(first):
            return .token(take(while: StructuredFieldGrammar.isTokenByte))
        default: throw Malformed()
        }
    }

    private mutating func number() throws(Malformed) -> StructuredField.BareItem {
        let sign = take("-") ? -1 : 1
        let whole = take(while: { 0x30...0x39 ~= $0 })
        guard 1...15 ~= whole.utf8.count, let integer = Int(whole) else { throw Malformed() }
        guard take(".") else { return .integer(sign * integer) }
        let fraction = take(while: { 0x30...0x39 ~= $0 })
        guard whole.utf8.count <= 12, 1...3 ~= fraction.utf8.count,
            let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
        else { throw Malformed() }
        return .decimal(StructuredField.Decimal(thousandths: sign * (integer * 1_000 + thousandths)))
    }

    private mutating func string() throws(Malformed) -> String {
        try expect("\"")
        var text: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = next(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else {
                    throw Malformed()
                }
                text.append(escaped)
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case 0x20...0x7E: text.append(byte)
            default: throw Malformed()
            }
        }
        throw Malformed()
    }

    private mutating func byteSequence() throws(Malformed) -> [UInt8] {
        try expect(":")
        let encoded = take(while: { $0 != UInt8(ascii: ":") })
        try expect(":")
        // Senders pad; a recipient takes what comes without (section 4.2.7).
        let digits = encoded.prefix { $0 != "=" }
        let padding = encoded.utf8.dropFirst(digits.utf8.count)
        guard digits.utf8.allSatisfy(StructuredFieldGrammar.isBase64Digit), digits.utf8.count % 4 != 1,
            padding.count <= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
            padding.isEmpty || (digits.utf8.count + padding.count).isMultiple(of: 4),
            let data = Data(
                base64Encoded: digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4))
        else { throw Malformed() }
        return Array(data)
    }

    private mutating func boolean() throws(Malformed) -> Bool {
        try expect("?")
        if take("1") { return true }
        try expect("0")
        return false
    }

    private mutating func date() throws(Malformed) -> Int {
        try expect("@")
        guard case .integer(let seconds) = try number() else { throw Malformed() }
        return seconds
    }

    private mutating func displayString() throws(Malformed) -> String {
        try expect("%")
        try expect("\"")
        var text: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = hexadecimalDigit(), let low = hexadecimalDigit() else { throw Malformed() }
                text.append(high << 4 | low)
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw Malformed() }
                return string
            case 0x20...0x7E: text.append(byte)
            default: throw Malformed()
            }
        }
        throw Malformed()
    }

    private mutating func hexadecimalDigit() -> UInt8? {
        switch next() {
        case let byte? where 0x30...0x39 ~= byte: byte - 0x30
        case let byte? where 0x61...0x66 ~= byte: byte - 0x61 + 10
        default: nil
        }
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func next() -> UInt8? {
        guard let byte = peek() else { return nil }
        position += 1
        return byte
    }

    private mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = peek(), belongs(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func expect(_ byte: Unicode.Scalar) throws(Malformed) {
        guard take(byte) else { throw Malformed() }
    }

    private mutating func skipOptionalWhitespace() {
        while peek() == 0x20 || peek() == 0x09 { position += 1 }
    }
}
