/// Markup that is safe to send: whatever is interpolated into it is escaped, unless it is markup itself.
struct HTML: Sendable, Hashable, ExpressibleByStringInterpolation {
    private(set) var markup: String

    /// Markup written by the programmer.
    init(stringLiteral markup: String) { self.markup = markup }

    init(stringInterpolation: StringInterpolation) { markup = stringInterpolation.markup }

    /// Text, escaped.
    init(text: String) { markup = Self.escaped(text) }

    static let empty: HTML = ""

    /// Builds markup piece by piece.
    struct StringInterpolation: StringInterpolationProtocol {
        fileprivate(set) var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            markup.reserveCapacity(literalCapacity + interpolationCount * 24)
        }

        mutating func appendLiteral(_ literal: String) { markup += literal }
        mutating func appendInterpolation(_ text: String) { markup += HTML.escaped(text) }
        mutating func appendInterpolation(_ number: some BinaryInteger) { markup += String(number) }
        mutating func appendInterpolation(_ html: HTML) { markup += html.markup }
        mutating func appendInterpolation(_ list: [HTML]) { for html in list { markup += html.markup } }
        mutating func appendInterpolation(_ path: PortalPath) { markup += HTML.escaped(path.string) }
        /// An attribute without value, such as `checked`, when it is to stand.
        mutating func appendInterpolation(_ attribute: StaticString, if condition: Bool) {
            if condition { markup += " \(attribute)" }
        }
    }

    /// Text as it stands in element content and in quoted attributes.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x26, 0x3C, 0x3E, 0x22, 0x27].contains($0) }) else { return text }
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
