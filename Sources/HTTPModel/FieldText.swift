/// The bytes of fields as text and back, without loss.
///
/// Fields are nearly always UTF-8, and then are that text. In one that is not, each byte beyond ASCII stands as one character
/// of a private area, U+F780 to U+F7FF, so that what passes through leaves as it came: no recipient may take such bytes for
/// more than what they are (RFC 9110, section 5.5).
public enum FieldText {
    /// Where the characters that stand for bytes begin, at that of byte 0.
    private static let base: UInt32 = 0xF700
    /// The first byte of every one of these characters in UTF-8.
    private static let lead: UInt8 = 0xEF

    /// Reads bytes.
    public static func text(of bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self), !hasBytes(text) { return text }
        let scalars = bytes.map { byte in
            byte < 0x80 ? Unicode.Scalar(byte) : Unicode.Scalar(base + UInt32(byte)) ?? "?"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The bytes that text stands for; `nil` when they are its UTF-8, as nearly always.
    public static func bytes(of text: String) -> [UInt8]? {
        guard hasBytes(text) else { return nil }
        return text.unicodeScalars.flatMap { scalar in byte(scalar).map { [$0] } ?? Array(String(scalar).utf8) }
    }

    /// Text for people and apps: characters that stand for bytes become those of ISO 8859-1, as fields once were.
    public static func readable(_ text: String) -> String {
        guard hasBytes(text) else { return text }
        let scalars = text.unicodeScalars.map { scalar in byte(scalar).map { Unicode.Scalar($0) } ?? scalar }
        return String(String.UnicodeScalarView(scalars))
    }

    private static func hasBytes(_ text: String) -> Bool {
        text.utf8.contains(lead) && text.unicodeScalars.contains { byte($0) != nil }
    }

    /// The byte that a character stands for.
    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        base + 0x80...base + 0xFF ~= scalar.value ? UInt8(scalar.value - base) : nil
    }
}
