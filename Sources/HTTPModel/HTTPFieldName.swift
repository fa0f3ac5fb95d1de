/// The name of an HTTP field: compared without regard to case (RFC 9110, section 5.1), printed as it was written.
public struct HTTPFieldName: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name as it was written.
    public let rawName: String
    /// The name in lower case; allocates for a long name that is not.
    public var canonicalName: String {
        rawName.utf8.contains { 0x41...0x5A ~= $0 } ? rawName.lowercased() : rawName
    }

    /// Creates a name from text.
    /// - Parameter name: a token (RFC 9110, section 5.6.2); `nil` results for anything else.
    public init?(_ name: some StringProtocol) {
        guard Self.isToken(name) else { return nil }
        rawName = String(name)
    }

    /// Creates a name from a literal, which the programmer vouches for.
    public init(stringLiteral name: StaticString) { rawName = name.description }

    /// Whether text is a token (RFC 9110, section 5.6.2).
    static func isToken(_ text: some StringProtocol) -> Bool {
        // Bytes side by side are looked at many times faster than those of an unknown view.
        let isToken = text.utf8.withContiguousStorageIfAvailable { bytes in
            !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
        }
        return isToken ?? (!text.isEmpty && text.utf8.allSatisfy(isTokenByte))
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    public var description: String { rawName }
}

extension HTTPFieldName: Hashable {
    /// Compares without regard to case; most pairs are told apart by their length alone.
    public static func == (left: Self, right: Self) -> Bool {
        let left = left.rawName.utf8, right = right.rawName.utf8
        return left.count == right.count && zip(left, right).allSatisfy { $0 == $1 || lowercased($0) == lowercased($1) }
    }

    public func hash(into hasher: inout Hasher) {
        for byte in rawName.utf8 { hasher.combine(Self.lowercased(byte)) }
        hasher.combine(UInt8.max)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}

extension HTTPFieldName {
    public static let accept: Self = "Accept"
    public static let acceptEncoding: Self = "Accept-Encoding"
    public static let acceptRanges: Self = "Accept-Ranges"
    public static let age: Self = "Age"
    public static let authorization: Self = "Authorization"
    public static let cacheControl: Self = "Cache-Control"
    public static let cacheStatus: Self = "Cache-Status"
    public static let connection: Self = "Connection"
    public static let contentEncoding: Self = "Content-Encoding"
    public static let contentLength: Self = "Content-Length"
    public static let contentLocation: Self = "Content-Location"
    public static let contentRange: Self = "Content-Range"
    public static let contentType: Self = "Content-Type"
    public static let cookie: Self = "Cookie"
    public static let date: Self = "Date"
    public static let eTag: Self = "ETag"
    public static let expires: Self = "Expires"
    public static let host: Self = "Host"
    public static let ifMatch: Self = "If-Match"
    public static let ifModifiedSince: Self = "If-Modified-Since"
    public static let ifNoneMatch: Self = "If-None-Match"
    public static let ifRange: Self = "If-Range"
    public static let ifUnmodifiedSince: Self = "If-Unmodified-Since"
    public static let lastModified: Self = "Last-Modified"
    public static let location: Self = "Location"
    public static let pragma: Self = "Pragma"
    public static let priority: Self = "Priority"
    public static let range: Self = "Range"
    public static let retryAfter: Self = "Retry-After"
    public static let setCookie: Self = "Set-Cookie"
    public static let transferEncoding: Self = "Transfer-Encoding"
    public static let userAgent: Self = "User-Agent"
    public static let vary: Self = "Vary"
    public static let wwwAuthenticate: Self = "WWW-Authenticate"
}
