#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An absolute `http` or `https` URL in the normal form that caches compare (RFC 9110, section 4.2.3).
///
/// Scheme and host are in lower case, a default port and the fragment are gone, an empty path is `/`. Path and query are
/// kept byte for byte: they belong to the origin.
public struct HTTPURL: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The longest URL that is read, in bytes.
    public static let byteCountMax = 65_536

    /// The whole URL in normal form.
    public let string: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// Byte offset in ``string`` at which the path starts.
    private let pathOffset: Int

    /// Parses an absolute URL; total on any input, and without allocation for a URL that is in normal form already.
    /// - Parameter text: an absolute URL; user information, characters outside of visible ASCII, a malformed host or port,
    ///   other schemes and more than ``byteCountMax`` bytes give `nil`.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.byteCountMax else { return nil }
        var text = text
        guard let layout = text.withUTF8({ HTTPURLLayout(bytes: $0) }) else { return nil }
        isSecure = layout.isSecure
        pathOffset = layout.normalPathOffset
        string = layout.isNormal ? text : text.withUTF8 { layout.normalForm(of: $0) }
    }

    /// Resolves a reference, such as the value of `Location`, against this URL (RFC 3986, section 5).
    /// - Returns: `nil` when the result is not an absolute `http` or `https` URL.
    public func resolving(_ reference: String) -> HTTPURL? {
        // Foundation takes no empty reference, which names this very document.
        if reference.isEmpty { return self }
        guard reference.utf8.count <= Self.byteCountMax, let base = URL(string: string),
            let resolved = URL(string: reference, relativeTo: base)
        else { return nil }
        return HTTPURL(resolved.absoluteString)
    }

    /// Scheme, host and port: what the same-origin comparison is about (RFC 6454).
    public var origin: String { slice(0, pathOffset) }
    /// Host and port as in the `Host` field; the port only when it is not the scheme's own.
    public var authority: String { slice(schemeByteCount, pathOffset) }
    /// The host without its port; an IPv6 address keeps its brackets.
    public var host: String {
        let authority = authority
        guard let colon = authority.utf8.lastIndex(of: UInt8(ascii: ":")),
            !authority.utf8[colon...].contains(UInt8(ascii: "]"))
        else { return authority }
        return String(authority[..<colon])
    }
    /// The port that is connected to: the one written, or the scheme's own.
    public var port: Int {
        let host = host, authority = authority
        guard authority.utf8.count > host.utf8.count else { return isSecure ? 443 : 80 }
        return Int(authority.utf8.dropFirst(host.utf8.count + 1).reduce(0) { $0 * 10 + Int($1) - 0x30 })
    }
    /// Path and query, as they go on the request line.
    public var target: String { slice(pathOffset, string.utf8.count) }
    /// The path without the query.
    public var path: String {
        let tail = string.utf8.dropFirst(pathOffset)
        return String(Substring(tail.prefix { $0 != UInt8(ascii: "?") }))
    }

    public var description: String { string }

    /// Orders URLs by their text.
    public static func < (left: Self, right: Self) -> Bool { left.string < right.string }

    private var schemeByteCount: Int { isSecure ? 8 : 7 }

    private func slice(_ start: Int, _ end: Int) -> String {
        let utf8 = string.utf8
        return String(string[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)])
    }
}
