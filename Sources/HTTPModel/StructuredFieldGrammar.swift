/// The byte classes of RFC 9651.
enum StructuredFieldGrammar {
    static func startsKey(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte || byte == UInt8(ascii: "*") }

    static func isKeyByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "*"): true
        default: false
        }
    }

    static func startsToken(_ byte: UInt8) -> Bool {
        0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == UInt8(ascii: "*")
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/") || HTTPFieldName.isTokenByte(byte)
    }

    static func isBase64Digit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "/"): true
        default: false
        }
    }

    static func isKey(_ text: String) -> Bool {
        text.utf8.first.map(startsKey) == true && text.utf8.allSatisfy(isKeyByte)
    }

    static func isToken(_ text: String) -> Bool {
        text.utf8.first.map(startsToken) == true && text.utf8.allSatisfy(isTokenByte)
    }

    static func isString(_ text: String) -> Bool { text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }
}
