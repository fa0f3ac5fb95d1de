/// The name of an app's event, in a form that is safe to keep, to send and to show.
///
/// Control characters and line ends become spaces, spaces at the ends go, several in a row count as one, and at most
/// ``characterCountMax`` characters in ``byteCountMax`` bytes of UTF-8 are kept.
public struct EventName: Sendable, Hashable {
    public static let characterCountMax = 100
    public static let byteCountMax = 256

    public let text: String

    /// Cleans a name; `nil` when nothing is left of it.
    public init?(_ name: String) {
        var cleaned = String.UnicodeScalarView()
        var isSpaceDue = false
        // Beyond, not even the longest name is filled up any more; a name may be of any length.
        for scalar in name.unicodeScalars.prefix(Self.byteCountMax * 16) {
            if scalar.properties.isWhitespace || Self.isControl(scalar) {
                isSpaceDue = !cleaned.isEmpty
                continue
            }
            if isSpaceDue { cleaned.append(" ") }
            isSpaceDue = false
            cleaned.append(scalar)
        }
        var text = Substring(String(cleaned)).prefix(Self.characterCountMax)
        while text.utf8.count > Self.byteCountMax { text.removeLast() }
        while text.unicodeScalars.last == " " { text.unicodeScalars.removeLast() }
        if text.isEmpty { return nil }
        self.text = String(text)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        // Marks of writing direction would turn the text around them as well.
        case .format: scalar != "\u{200D}" && scalar != "\u{200C}"
        default: false
        }
    }
}
