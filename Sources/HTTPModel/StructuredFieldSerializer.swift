#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The serialising algorithms of RFC 9651, section 4.1; each function says whether its value can be written.
struct StructuredFieldSerializer {
    private(set) var text = ""

    mutating func list(_ members: [StructuredField.Member]) -> Bool {
        for (index, member) in members.enumerated() {
            if index > 0 { text += ", " }
            guard self.member(member) else { return false }
        }
        return true
    }

    mutating func dictionary(_ dictionary: StructuredField.Dictionary) -> Bool {
        for (index, pair) in dictionary.enumerated() {
            if index > 0 { text += ", " }
            guard key(pair.key) else { return false }
            if case .item(let item) = pair.value, item.value == .boolean(true) {
                guard parameters(item.parameters) else { return false }
            } else {
                text += "="
                guard member(pair.value) else { return false }
            }
        }
        return true
    }

    mutating func item(_ item: StructuredField.Item) -> Bool { bareItem(item.value) && parameters(item.parameters) }

    mutating func key(_ key: String) -> Bool {
        guard StructuredFieldGrammar.isKey(key) else { return false }
        text += key
        return true
    }

    mutating func bareItem(_ value: StructuredField.BareItem) -> Bool {
        switch value {
        case .integer(let integer): return self.integer(integer)
        case .decimal(let decimal): return self.decimal(decimal)
        case .string(let string): return self.string(string)
        case .token(let token):
            guard StructuredFieldGrammar.isToken(token) else { return false }
            text += token
        case .bytes(let bytes): text += ":\(Data(bytes).base64EncodedString()):"
        case .boolean(let isTrue): text += isTrue ? "?1" : "?0"
        case .date(let seconds):
            text += "@"
            return integer(seconds)
        case .displayString(let string): displayString(string)
        }
        return true
    }

    private mutating func member(_ member: StructuredField.Member) -> Bool {
        switch member {
        case .item(let item): return self.item(item)
        case .innerList(let list):
            text += "("
            for (index, item) in list.items.enumerated() {
                if index > 0 { text += " " }
                guard self.item(item) else { return false }
            }
            text += ")"
            return parameters(list.parameters)
        }
    }

    private mutating func parameters(_ parameters: StructuredField.Parameters) -> Bool {
        for pair in parameters {
            text += ";"
            guard key(pair.key) else { return false }
            if pair.value == .boolean(true) { continue }
            text += "="
            guard bareItem(pair.value) else { return false }
        }
        return true
    }

    private mutating func integer(_ integer: Int) -> Bool {
        guard -999_999_999_999_999...999_999_999_999_999 ~= integer else { return false }
        text += String(integer)
        return true
    }

    private mutating func decimal(_ decimal: StructuredField.Decimal) -> Bool {
        let magnitude = decimal.thousandths.magnitude
        guard magnitude <= 999_999_999_999_999 else { return false }
        var fraction = String(magnitude % 1_000 + 1_000).dropFirst()
        while fraction.count > 1, fraction.last == "0" { fraction.removeLast() }
        text += "\(decimal.thousandths < 0 ? "-" : "")\(magnitude / 1_000).\(fraction)"
        return true
    }

    private mutating func string(_ string: String) -> Bool {
        guard StructuredFieldGrammar.isString(string) else { return false }
        text += "\""
        for scalar in string.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        text += "\""
        return true
    }

    private mutating func displayString(_ string: String) {
        text += "%\""
        for byte in string.utf8 {
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\"") || !(0x20...0x7E ~= byte) {
                text += byte < 0x10 ? "%0" : "%"
                text += String(byte, radix: 16)
            } else {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        text += "\""
    }
}
