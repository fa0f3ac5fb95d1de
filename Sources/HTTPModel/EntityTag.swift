/// An entity tag (RFC 9110, section 8.8.3): an opaque name of one representation.
public struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// Representations that share it need only mean the same, not be the same bytes.
    public let isWeak: Bool
    /// What stands between the quotation marks.
    public let opaque: String

    /// Reads one entity tag as it stands in `ETag`, white space around it allowed; `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        var rest = Substring(text).utf8.trimmingOptionalWhitespace()
        guard let tag = Self.next(&rest), rest.isEmpty else { return nil }
        self = tag
    }

    private init(isWeak: Bool, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }

    /// Strong comparison (RFC 9110, section 8.8.3.2): both strong and the same.
    public func isStronglyEqual(to other: EntityTag) -> Bool { !isWeak && !other.isWeak && opaque == other.opaque }

    /// Weak comparison (RFC 9110, section 8.8.3.2): the same, strong or weak.
    public func isWeaklyEqual(to other: EntityTag) -> Bool { opaque == other.opaque }

    public var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Takes a tag off the front of bytes.
    fileprivate static func next<Bytes: Collection<UInt8>>(_ rest: inout Bytes) -> EntityTag?
    where Bytes.SubSequence == Bytes {
        var bytes = rest
        let isWeak = bytes.first == UInt8(ascii: "W")
        if isWeak {
            bytes = bytes.dropFirst()
            guard bytes.first == UInt8(ascii: "/") else { return nil }
            bytes = bytes.dropFirst()
        }
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        bytes = bytes.dropFirst()
        let opaque = bytes.prefix { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
        bytes = bytes[opaque.endIndex...]
        guard bytes.first == UInt8(ascii: "\"") else { return nil }
        rest = bytes.dropFirst()
        return EntityTag(isWeak: isWeak, opaque: String(decoding: opaque, as: UTF8.self))
    }
}

/// The value of `If-None-Match` or `If-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
public enum EntityTagCondition: Sendable, Hashable {
    /// `*`: any representation.
    case any
    /// One or more tags.
    case tags([EntityTag])

    /// Reads a field value; `nil` when it is malformed. Empty list members are passed over (RFC 9110, section 5.6.1.2).
    public init?(_ text: String) {
        var rest = text.utf8.trimmingOptionalWhitespace()
        if rest.elementsEqual("*".utf8) {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        while true {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }
            if rest.isEmpty { break }
            guard let tag = EntityTag.next(&rest) else { return nil }
            tags.append(tag)
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        guard !tags.isEmpty else { return nil }
        self = .tags(tags)
    }

    /// Whether a representation with this tag is one of those named, by weak comparison as `If-None-Match` wants it.
    public func matchesWeakly(_ tag: EntityTag?) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tag.map { tag in tags.contains { $0.isWeaklyEqual(to: tag) } } ?? false
        }
    }
}
