import HTTPModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules for what people and devices type in; each throws a 422 problem that says what is allowed.
enum Validation {
    /// Text for people: trimmed, of bounded length, without control characters.
    static func text(_ text: String, field: String, of length: ClosedRange<Int>) throws -> String {
        let trimmed = trimmed(text)
        guard length.contains(trimmed.count), trimmed.utf8.count <= length.upperBound * 4 else {
            let found = trimmed.isEmpty ? "it is empty" : "it has \(trimmed.count)"
            throw ProblemDocument.invalid(
                field, "The \(field) must have \(length.lowerBound) to \(length.upperBound) characters; \(found).")
        }
        guard !trimmed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ProblemDocument.invalid(field, "The \(field) must not contain control characters.")
        }
        return trimmed
    }

    /// A bundle identifier: 1 to 155 letters, digits, `.`, `-` and `_`.
    static func bundleID(_ text: String) throws -> String {
        let trimmed = trimmed(text)
        guard (1...155).contains(trimmed.utf8.count), trimmed.utf8.allSatisfy(isNameByte) else {
            throw ProblemDocument.invalid(
                "bundle-id",
                "A bundle id has 1 to 155 letters, digits, dots, hyphens or underscores, such as com.example.news.")
        }
        return trimmed
    }

    /// A segment's name: 1 to 64 letters, digits, `.`, `_`, `-`.
    static func segmentName(_ text: String) throws -> String {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(isNameByte), text != ".", text != ".." else {
            throw ProblemDocument.invalid(
                "segment-name",
                "A segment's name has 1 to 64 letters, digits, dots, hyphens or underscores, such as front-page.")
        }
        return text
    }

    static func pushToken(_ token: PushTokenRequest) throws {
        let service = token.service.utf8
        guard (1...32).contains(service.count), service.allSatisfy(isNameByte),
            token.service == token.service.lowercased()
        else {
            throw ProblemDocument.invalid(
                "push-service",
                "A push service has 1 to 32 lower-case letters, digits, dots, hyphens or underscores, such as apns.")
        }
        guard (1...4_096).contains(token.token.utf8.count), token.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ProblemDocument.invalid("push-token", "A push token has 1 to 4,096 visible ASCII characters.")
        }
    }

    /// The absolute URL of an item, in normal form; `nil` when it is none.
    ///
    /// Characters outside of ASCII are percent-encoded as Foundation does it in apps.
    static func itemURL(_ text: String) -> HTTPURL? {
        let trimmed = trimmed(text)
        guard trimmed.utf8.count <= 8_192 else { return nil }
        return HTTPURL(trimmed) ?? URL(string: trimmed).flatMap { HTTPURL($0.absoluteString) }
    }

    static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
