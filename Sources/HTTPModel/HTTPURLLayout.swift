/// Where the parts of an absolute URL lie in its bytes, and whether it is in normal form as it stands.
struct HTTPURLLayout {
    let isSecure: Bool
    let isNormal: Bool
    /// The host, brackets included.
    private let host: Range<Int>
    /// The port, unless it is absent, empty or the scheme's own.
    private let port: Int?
    /// Path and query, without the fragment.
    private let tail: Range<Int>
    private let lacksSlash: Bool

    /// Reads bytes; `nil` when they are no absolute `http` or `https` URL.
    init?(bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let scheme = Self.scheme(of: bytes), let hostEnd = Self.hostEnd(in: bytes, from: scheme.end)
        else { return nil }
        let authorityEnd = bytes[hostEnd...].firstIndex(where: Self.endsAuthority) ?? bytes.endIndex
        guard case .some(let written) = Self.port(in: bytes[hostEnd..<authorityEnd]) else { return nil }
        let fragment = bytes[authorityEnd...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
        isSecure = scheme.isSecure
        host = scheme.end..<hostEnd
        port = written == (scheme.isSecure ? 443 : 80) ? nil : written
        tail = authorityEnd..<fragment
        lacksSlash = tail.isEmpty || bytes[authorityEnd] != UInt8(ascii: "/")
        let portByteCount = port.map { String($0).utf8.count + 1 } ?? 0
        isNormal =
            !lacksSlash && fragment == bytes.endIndex && authorityEnd - hostEnd == portByteCount
            && bytes[..<hostEnd].allSatisfy { !Self.isUppercase($0) }
    }

    /// The byte offset of the path in the normal form.
    var normalPathOffset: Int { host.upperBound + (port.map { String($0).utf8.count + 1 } ?? 0) }

    /// The URL in normal form.
    func normalForm(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        var normal = bytes[..<host.upperBound].map { Self.isUppercase($0) ? $0 | 0x20 : $0 }
        if let port { normal += ":\(port)".utf8 }
        if lacksSlash { normal.append(UInt8(ascii: "/")) }
        normal += bytes[tail]
        return String(decoding: normal, as: UTF8.self)
    }

    private static func scheme(of bytes: UnsafeBufferPointer<UInt8>) -> (isSecure: Bool, end: Int)? {
        func starts(with prefix: StaticString) -> Bool {
            guard bytes.count >= prefix.utf8CodeUnitCount else { return false }
            return prefix.withUTF8Buffer { prefix in
                prefix.indices.allSatisfy { prefix[$0] == (Self.isUppercase(bytes[$0]) ? bytes[$0] | 0x20 : bytes[$0]) }
            }
        }
        if starts(with: "https://") { return (true, 8) }
        return starts(with: "http://") ? (false, 7) : nil
    }

    /// Where the host ends that starts at an offset (RFC 3986, section 3.2.2); `nil` when there is none or it is malformed.
    private static func hostEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard start < bytes.endIndex else { return nil }
        if bytes[start] == UInt8(ascii: "[") {
            guard let close = bytes[start...].firstIndex(of: UInt8(ascii: "]")), close - start > 2,
                bytes[(start + 1)..<close].allSatisfy(isAddressByte),
                bytes[start..<close].contains(UInt8(ascii: ":"))
            else { return nil }
            return close + 1
        }
        let end = bytes[start...].firstIndex { $0 == UInt8(ascii: ":") || endsAuthority($0) } ?? bytes.endIndex
        return end > start && bytes[start..<end].allSatisfy(isNameByte) ? end : nil
    }

    /// The port after a host: outer `nil` when malformed, inner `nil` when absent or empty.
    private static func port(in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int?? {
        guard let first = bytes.first else { return .some(nil) }
        let digits = bytes.dropFirst()
        guard first == UInt8(ascii: ":"), digits.count <= 5, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            return .none
        }
        if digits.isEmpty { return .some(nil) }
        let port = digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return 1...65_535 ~= port ? .some(port) : .none
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { 0x41...0x5A ~= byte }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// unreserved, pct-encoded and sub-delims of RFC 3986, so neither `@` nor a backslash.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "%"),
            UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"),
            UInt8(ascii: "="):
            true
        default: false
        }
    }
}
