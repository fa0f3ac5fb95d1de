/// The directives of `Cache-Control` (RFC 9111, section 5.2; RFC 5861; RFC 8246).
///
/// Names are compared without regard to case and arguments may be tokens or quoted strings. Of a directive that comes more
/// than once the first counts, except where another is stricter (`no-cache` beside `no-cache="…"`).
public struct CacheControl: Sendable, Hashable {
    /// The argument of a directive that takes seconds.
    public enum Seconds: Sendable, Hashable {
        /// A number, ``DeltaSeconds/maximum`` at most.
        case value(Int)
        /// Missing, negative, fractional or no number at all; in a response it counts as stale (RFC 9111, section 4.2.1).
        case invalid

        /// The number, 0 for an invalid one.
        public var cautious: Int {
            switch self {
            case .value(let seconds): seconds
            case .invalid: 0
            }
        }
    }

    /// How much staleness `max-stale` allows.
    public enum MaxStale: Sendable, Hashable {
        case any
        case seconds(Int)
    }

    /// What `no-cache` or `private` is about.
    public enum Scope: Sendable, Hashable {
        /// The whole response.
        case response
        /// Only these fields of it.
        case fields([HTTPFieldName])
    }

    /// A directive that has no property of its own.
    public struct Directive: Sendable, Hashable {
        /// In lower case.
        public var name: String
        /// Without quotation marks.
        public var argument: String?

        /// Creates a directive.
        public init(name: String, argument: String? = nil) {
            self.name = name
            self.argument = argument
        }
    }

    public var maxAge: Seconds?
    /// For shared caches; of no weight to a private one.
    public var sharedMaxAge: Seconds?
    /// Request only; `nil` as well when its argument is invalid, which is the cautious reading.
    public var maxStale: MaxStale?
    /// Request only.
    public var minFresh: Seconds?
    public var staleWhileRevalidate: Seconds?
    public var staleIfError: Seconds?
    public var noCache: Scope?
    public var isPrivate: Scope?
    public var noStore = false
    public var noTransform = false
    public var onlyIfCached = false
    public var mustRevalidate = false
    public var proxyRevalidate = false
    public var mustUnderstand = false
    public var isPublic = false
    public var isImmutable = false
    /// Directives not known here, in order, 64 at most.
    public var unknown: [Directive] = []

    private static let unknownCountMax = 64

    /// Creates the empty set.
    public init() {}

    /// Reads one field value.
    public init(_ value: String) { read(value) }

    /// Reads every `Cache-Control` line of a message.
    public init(_ fields: HTTPFields) {
        for field in fields where field.name == .cacheControl { read(field.value) }
    }

    private mutating func read(_ value: String) {
        var tokenizer = DirectiveTokenizer(value)
        while let token = tokenizer.next() { apply(token) }
    }

    mutating func apply(_ token: DirectiveTokenizer.Token) {
        switch token.name {
        case "max-age": keepFirst(&maxAge, token.seconds)
        case "s-maxage": keepFirst(&sharedMaxAge, token.seconds)
        case "min-fresh": keepFirst(&minFresh, token.seconds)
        case "stale-while-revalidate": keepFirst(&staleWhileRevalidate, token.seconds)
        case "stale-if-error": keepFirst(&staleIfError, token.seconds)
        case "max-stale": keepFirst(&maxStale, token.maxStale)
        case "no-cache": noCache = Self.stricter(noCache, token.scope)
        case "private": isPrivate = Self.stricter(isPrivate, token.scope)
        default:
            if !setFlag(token.name), unknown.count < Self.unknownCountMax {
                unknown.append(Directive(name: token.name, argument: token.argument))
            }
        }
    }

    /// Sets the property of a directive without argument; one that has an argument all the same counts, which is the
    /// stricter reading of what RFC 9111 leaves open.
    private mutating func setFlag(_ name: String) -> Bool {
        switch name {
        case "no-store": noStore = true
        case "no-transform": noTransform = true
        case "only-if-cached": onlyIfCached = true
        case "must-revalidate": mustRevalidate = true
        case "proxy-revalidate": proxyRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "immutable": isImmutable = true
        default: return false
        }
        return true
    }

    private func keepFirst<Value>(_ property: inout Value?, _ value: Value?) {
        if property == nil { property = value }
    }

    private static func stricter(_ old: Scope?, _ new: Scope) -> Scope {
        switch (old, new) {
        case (nil, _): new
        case (.fields(let old), .fields(let new)): .fields(old + new)
        default: .response
        }
    }
}

extension DirectiveTokenizer.Token {
    fileprivate var seconds: CacheControl.Seconds {
        isMalformed ? .invalid : argument.flatMap { DeltaSeconds.parse($0) }.map { .value($0) } ?? .invalid
    }

    fileprivate var maxStale: CacheControl.MaxStale? {
        guard !isMalformed else { return nil }
        guard let argument else { return .any }
        return DeltaSeconds.parse(argument).map { .seconds($0) }
    }

    /// Names that are no field names are passed over; when none is left the directive is about the whole response.
    fileprivate var scope: CacheControl.Scope {
        let names = argument?.utf8.split(separator: UInt8(ascii: ",")).compactMap {
            HTTPFieldName(Substring($0.trimmingOptionalWhitespace()))
        }
        guard let names, !names.isEmpty else { return .response }
        return .fields(names)
    }
}
