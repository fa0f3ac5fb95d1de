/// The target of a request, taken apart and decoded once (RFC 9112, section 3.2).
///
/// Whatever two readers could understand differently is refused instead of being repaired: `%2F`, backslashes, NUL and other
/// control characters, dot segments, malformed escapes and text that is not UTF-8.
struct RequestTarget: Sendable {
    /// Why a target was refused, as a sentence.
    struct Refusal: Error { var reason: String }

    /// The decoded segments between the slashes; a path that ends in a slash ends in an empty segment.
    let segments: [String]
    let query: [(name: String, value: String)]

    var path: String { "/" + segments.joined(separator: "/") }

    init(_ raw: String) throws(Refusal) {
        var text = Substring(raw)
        if text.first != "/" { text = Self.withoutOrigin(text) }
        guard text.first == "/" else { throw Refusal(reason: "the request target does not start with a slash") }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Refusal(reason: "the request target holds bytes that must be percent-encoded")
        }
        let queryStart = text.firstIndex(of: "?")
        segments = try Self.segments(of: text[..<(queryStart ?? text.endIndex)])
        query =
            try queryStart.map { start throws(Refusal) in try Self.parameters(of: text[start...].dropFirst()) } ?? []
    }

    /// The path and query of the absolute form (RFC 9112, section 3.2.2), which servers take as well.
    private static func withoutOrigin(_ text: Substring) -> Substring {
        let lowercased = text.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowercased.hasPrefix) else { return text }
        let tail = text.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
        return tail.first == "/" ? tail : "/" + tail
    }

    private static func segments(of path: Substring) throws(Refusal) -> [String] {
        var segments: [String] = []
        for raw in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let segment = decoded(raw, plusIsSpace: false) else {
                throw Refusal(reason: "the path holds a malformed percent escape or one that is not UTF-8")
            }
            guard !segment.utf8.contains(where: { $0 == 0x2F || $0 == 0x5C || $0 < 0x20 || $0 == 0x7F }) else {
                throw Refusal(reason: "the path holds an encoded slash, a backslash or a control character")
            }
            guard segment != ".", segment != ".." else { throw Refusal(reason: "the path holds a dot segment") }
            segments.append(segment)
        }
        return segments
    }

    private static func parameters(of query: Substring) throws(Refusal) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(parts[0], plusIsSpace: true),
                let value = decoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true),
                !name.utf8.contains(0), !value.utf8.contains(0)
            else { throw Refusal(reason: "the query holds a malformed percent escape, NUL, or text that is not UTF-8") }
            parameters.append((name, value))
        }
        return parameters
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return String(text)
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    /// Percent-encodes a decoded path, leaving the slashes.
    static func encode(path: String) -> String {
        encode(path) { $0 == UInt8(ascii: "/") }
    }

    /// Percent-encodes all but the unreserved characters (RFC 3986, section 2.3) and those allowed besides.
    static func encode(_ text: String, allowing isAllowed: (UInt8) -> Bool = { _ in false }) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isUnreserved =
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
                default: isAllowed(byte)
                }
            bytes += isUnreserved ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
