import Glibc

/// Looks for the end of a head and refuses what only a sender with bad intentions, or none of HTTP, sends.
///
/// Every line ends with CR LF, no other CR or LF is there, no line begins with white space, and there is no NUL: with this
/// settled, no two parsers can take the head apart differently.
struct HeadScanner {
    /// Bytes looked at so far.
    private var scanned = 0
    /// Where the line begins that is being looked at.
    private var lineStart = 0
    /// Where the first line begins: empty lines before it are passed over (RFC 9112, section 2.2).
    private(set) var headStart = 0
    /// Where the first line ends, its line end excluded; `nil` until it has come.
    private(set) var firstLineEnd: Int?

    /// Most empty lines before a head.
    private static let emptyLinesMax = 4

    /// Looks at what has come since the last call.
    /// - Returns: where the head ends, its empty line included; `nil` when it has not all come.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(ProxyFailure) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        if scanned == 0 { try checkFirstByte(bytes) }
        while scanned < bytes.count, let found = memchr(base + scanned, 0x0A, bytes.count - scanned) {
            let end = UnsafeRawPointer(found) - base
            let lineEnd = end - 1
            guard lineEnd >= lineStart, bytes[lineEnd] == 0x0D,
                memchr(base + lineStart, 0x0D, lineEnd - lineStart) == nil
            else { throw .badRequest("a line does not end with CR LF, or has a CR or LF inside") }
            guard memchr(base + lineStart, 0, lineEnd - lineStart) == nil else {
                throw .badRequest("the head has a NUL byte")
            }
            let line = lineStart..<lineEnd
            (scanned, lineStart) = (end + 1, end + 1)
            if firstLineEnd == nil {
                if line.isEmpty {
                    headStart = lineStart
                    guard headStart <= 2 * Self.emptyLinesMax else { throw .badRequest("no request line") }
                    if headStart < bytes.count { try checkFirstByte(bytes) }
                } else {
                    firstLineEnd = line.upperBound
                }
            } else if line.isEmpty {
                return lineStart
            } else if bytes[line.lowerBound] == 0x20 || bytes[line.lowerBound] == 0x09 {
                throw .badRequest("a line begins with white space, which RFC 9112 section 5.2 forbids")
            }
        }
        scanned = bytes.count
        return nil
    }

    /// A head begins with the method, which is a token; anything else is another protocol.
    private func checkFirstByte(_ bytes: UnsafeRawBufferPointer) throws(ProxyFailure) {
        switch bytes[headStart] {
        case 0x16, 0x80:
            throw .badRequest("this port speaks plain HTTP, not TLS: use http:// for the proxy's own address")
        case 0x0D: return
        case 0x21...0x7E where bytes[headStart] != UInt8(ascii: ":"): return
        default: throw .badRequest("this is not HTTP")
        }
    }
}
