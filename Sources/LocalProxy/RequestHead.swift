import HTTPModel

/// The head of a request as it came.
struct RequestHead {
    var line: RequestLine
    var fields: HTTPFields
    /// Whether the connection may carry another request (RFC 9112, section 9.3).
    var keepsAlive: Bool
    /// How the body ends; `nil` when there is none.
    var body: Body?

    /// The framing of a body (RFC 9112, section 6).
    enum Body: Equatable {
        case length(Int64)
        case chunked
    }
}

/// The first line of a request (RFC 9112, section 3).
struct RequestLine {
    var method: HTTPMethod
    var target: String
    /// HTTP/1.0, which knows neither chunks nor persistent connections of itself.
    var isHTTP10: Bool

    /// Reads a line without its line end.
    init(_ line: UnsafeRawBufferPointer, targetByteCountMax: Int) throws(ProxyFailure) {
        let space = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: space), let last = line.lastIndex(of: space), first < last else {
            throw .badRequest("the first line is not METHOD TARGET HTTP/1.1")
        }
        let version = UnsafeRawBufferPointer(rebasing: line[(last + 1)...])
        isHTTP10 = try Self.isHTTP10(version)
        guard last - first - 1 <= targetByteCountMax else { throw .targetTooLong(byteCountMax: targetByteCountMax) }
        let target = line[(first + 1)..<last]
        guard !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badRequest("the request's target has a space or a byte outside of visible ASCII")
        }
        guard let method = Self.method(line[..<first]) else { throw .badRequest("the method is not a token") }
        self.method = method
        self.target = String(decoding: target, as: UTF8.self)
    }

    /// The target as logs may show it.
    var targetWithoutUserInformation: String {
        guard let at = target.firstIndex(of: "@"), let scheme = target.firstRange(of: "://"), scheme.upperBound < at,
            !target[scheme.upperBound..<at].contains(where: { $0 == "/" || $0 == "?" })
        else { return target }
        return String(target[..<scheme.upperBound] + target[target.index(after: at)...])
    }

    private static func method(_ bytes: Slice<UnsafeRawBufferPointer>) -> HTTPMethod? {
        if bytes.elementsEqual("GET".utf8) { return .get }
        return HTTPMethod(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    private static func isHTTP10(_ version: UnsafeRawBufferPointer) throws(ProxyFailure) -> Bool {
        guard version.count == 8, version.starts(with: "HTTP/".utf8), isDigit(version[5]),
            version[6] == UInt8(ascii: "."), isDigit(version[7])
        else { throw .badRequest("the first line does not end with HTTP/1.0 or HTTP/1.1") }
        guard version[5] == UInt8(ascii: "1") else { throw .versionNotSupported }
        return version[7] == UInt8(ascii: "0")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
