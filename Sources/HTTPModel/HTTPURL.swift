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
    /// The whole URL in normal form.
    public let string: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// Byte offset in ``string`` at which the path starts.
    private let pathOffset: Int

    /// Parses an absolute URL.
    /// - Parameter text: an absolute URL; user information, characters outside of ASCII and other schemes give `nil`.
    public init?(_ text: String) {
        // A URL in normal form is used as it is: this path is on every request.
        let utf8 = text.utf8
        guard utf8.count <= 65_536, utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        guard let colon = text.firstRange(of: "://") else { return nil }
        let scheme: String = text[..<colon.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        let rest = text[colon.upperBound...]
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        var authority: String = rest[..<authorityEnd].lowercased()
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        if let portColon = authority.lastIndex(of: ":"), !authority[portColon...].contains("]" as Character) {
            let port = authority[authority.index(after: portColon)...]
            guard port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), port.count <= 5,
                port.isEmpty || Int(port).map({ $0 <= 65_535 }) == true
            else { return nil }
            if port.isEmpty || port == (scheme == "https" ? "443" : "80") {
                authority = String(authority[..<portColon])
            }
        }
        guard !authority.isEmpty, authority.first != ":" else { return nil }
        var tail = String(rest[authorityEnd...].prefix { $0 != "#" })
        if tail.isEmpty || tail.first == "?" { tail = "/" + tail }
        isSecure = scheme == "https"
        let origin = scheme + "://" + authority
        pathOffset = origin.utf8.count
        string = origin + tail
    }

    /// Resolves a reference, such as the value of `Location`, against this URL (RFC 3986, section 5).
    /// - Returns: `nil` when the result is not an absolute `http` or `https` URL.
    public func resolving(_ reference: String) -> HTTPURL? {
        guard let base = URL(string: string), let resolved = URL(string: reference, relativeTo: base) else {
            return nil
        }
        return HTTPURL(resolved.absoluteString)
    }

    /// Scheme, host and port: what the same-origin comparison is about (RFC 6454).
    public var origin: String { String(string.utf8.prefix(pathOffset)) ?? "" }
    /// Host and port as in the `Host` field.
    public var authority: String { String(origin.drop { $0 != "/" }.dropFirst(2)) }
    /// The host without its port.
    public var host: String {
        let authority = authority
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority }
        return String(authority[..<colon])
    }
    /// Path and query, as they go on the request line.
    public var target: String { String(string.utf8.dropFirst(pathOffset)) ?? "/" }
    /// The path without the query.
    public var path: String { String(target.prefix { $0 != "?" }) }

    public var description: String { string }

    public static func < (left: Self, right: Self) -> Bool { left.string < right.string }
}
