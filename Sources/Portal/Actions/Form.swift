import HTTPServer

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The fields of a submitted form (`application/x-www-form-urlencoded`).
struct Form: Sendable {
    private let values: [String: String]

    init(_ request: ServerRequest) {
        let text = String(decoding: request.body, as: UTF8.self)
        var values: [String: String] = [:]
        for pair in text.split(separator: "&").prefix(200) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]) else { continue }
            values[name] = parts.count == 2 ? Self.decoded(parts[1]) ?? "" : ""
        }
        self.values = values
    }

    /// A field without white space at its ends; empty when absent.
    subscript(name: String) -> String {
        let text = values[name] ?? ""
        guard let start = text.firstIndex(where: { !$0.isWhitespace }),
            let end = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[start...end])
    }

    /// A field as it came.
    func raw(_ name: String) -> String { values[name] ?? "" }

    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else {
                    return nil
                }
                bytes.append(value)
                rest = rest.dropFirst(2)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
