/// The value of `Range` with one range of bytes (RFC 9110, section 14.1.2).
public enum ByteRange: Sendable, Hashable {
    /// From an offset to the end: `bytes=100-`.
    case from(Int64)
    /// From an offset to another, both included: `bytes=100-199`.
    case closed(first: Int64, last: Int64)
    /// The last so many bytes: `bytes=-100`.
    case suffix(Int64)

    /// Reads a field value; `nil` when it is malformed, has several ranges or another unit, all of which a recipient may
    /// ignore. Numbers too large for a body are read as the largest there is.
    public init?(_ text: String) {
        let utf8 = text.utf8.trimmingOptionalWhitespace()
        guard let equals = utf8.firstIndex(of: UInt8(ascii: "=")),
            Substring(utf8[..<equals]).lowercased() == "bytes"
        else { return nil }
        let spec = utf8[utf8.index(after: equals)...].trimmingOptionalWhitespace()
        guard let dash = spec.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let first = Int64.fromDigits(spec[..<dash]), last = Int64.fromDigits(spec[spec.index(after: dash)...])
        switch (spec[..<dash].isEmpty, spec[spec.index(after: dash)...].isEmpty, first, last) {
        case (false, true, let first?, _): self = .from(first)
        case (true, false, _, let last?): self = .suffix(last)
        case (false, false, let first?, let last?) where first <= last: self = .closed(first: first, last: last)
        default: return nil
        }
    }

    /// The offsets that it names in a body of some length; `nil` when it names none (416).
    public func resolved(in byteCount: Int64) -> Range<Int64>? {
        switch self {
        case .from(let first): first < byteCount ? first..<byteCount : nil
        case .closed(let first, let last): first < byteCount ? first..<(min(last, byteCount - 1) + 1) : nil
        case .suffix(let count): count > 0 && byteCount > 0 ? max(0, byteCount - count)..<byteCount : nil
        }
    }
}

/// The value of `Content-Range` for bytes (RFC 9110, section 14.4).
public struct ContentRange: Sendable, Hashable, CustomStringConvertible {
    /// The offsets of the bytes that come; `nil` in a 416 response.
    public let range: Range<Int64>?
    /// The length of the whole; `nil` when the sender does not know it.
    public let completeByteCount: Int64?

    /// Creates a value; a range that is empty, or goes beyond the whole, gives `nil`.
    public init?(range: Range<Int64>?, completeByteCount: Int64?) {
        if let range {
            guard range.lowerBound >= 0, !range.isEmpty, range.upperBound <= completeByteCount ?? .max else {
                return nil
            }
        } else if completeByteCount == nil {
            return nil
        }
        self.range = range
        self.completeByteCount = completeByteCount
    }

    /// Reads a field value; `nil` when it is malformed, contradicts itself or has another unit.
    public init?(_ text: String) {
        let utf8 = text.utf8.trimmingOptionalWhitespace()
        guard let space = utf8.firstIndex(of: 0x20), Substring(utf8[..<space]).lowercased() == "bytes" else {
            return nil
        }
        let rest = utf8[space...].drop { $0 == 0x20 }
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let span = rest[..<slash], whole = rest[rest.index(after: slash)...]
        let complete = Int64.fromDigits(whole)
        guard complete != nil || whole.elementsEqual("*".utf8) else { return nil }
        if span.elementsEqual("*".utf8) {
            self.init(range: nil, completeByteCount: complete)
            return
        }
        guard let dash = span.firstIndex(of: UInt8(ascii: "-")), let first = Int64.fromDigits(span[..<dash]),
            let last = Int64.fromDigits(span[span.index(after: dash)...]), first <= last, last < .max
        else { return nil }
        self.init(range: first..<(last + 1), completeByteCount: complete)
    }

    public var description: String {
        let span = range.map { "\($0.lowerBound)-\($0.upperBound - 1)" } ?? "*"
        return "bytes \(span)/\(completeByteCount.map(String.init) ?? "*")"
    }
}

extension Int64 {
    /// Reads decimal digits and nothing else; too large a number gives the largest.
    fileprivate static func fromDigits(_ bytes: some Collection<UInt8>) -> Int64? {
        guard !bytes.isEmpty, bytes.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self)) ?? .max
    }
}
