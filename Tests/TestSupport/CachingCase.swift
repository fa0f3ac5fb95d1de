public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One case of the caching suite as data: exchanges through a cache, in order, and what the origin and the caller shall see.
public struct CachingCase: Sendable, CustomStringConvertible {
    /// How binding the rule is; `product` marks the product's own rules.
    public enum Kind: String, Sendable, CaseIterable {
        case must, should, may, product
    }

    public var name: String
    /// The RFC and section, such as "RFC 9111 §4.2.1".
    public var reference: String
    public var kind: Kind
    public var exchanges: [CachingExchange]
    /// The cache that the case is about.
    public var cache = Cache.own

    /// The kinds of cache by their policy.
    public enum Cache: Sendable {
        /// One user's own, as the SDK has it.
        case own
        /// One that several users share.
        case shared
        /// One's own, which takes `Our-Cache-Control` and `CDN-Cache-Control` for itself (RFC 9213).
        case targeted
    }

    /// The fronts that cannot carry the case, with the reason for each.
    public var exceptions: [Front: String] = [:]

    /// The ways in which the suite reaches the cache.
    public enum Front: String, Sendable, CaseIterable {
        /// The pure rules, with a model cache of a page of code around them.
        case rules
        /// The engine, by direct calls.
        case engine
        /// An app's `URLSession`, intercepted.
        case session = "URLSession"
        /// The local proxy, by HTTP over a socket.
        case proxy
    }

    /// Creates a case.
    public init(_ name: String, _ reference: String, _ kind: Kind, _ exchanges: [CachingExchange]) {
        self.name = name
        self.reference = reference
        self.kind = kind
        self.exchanges = exchanges
    }

    /// The case, which one front cannot carry.
    public func except(_ front: Front, _ reason: String) -> CachingCase {
        var test = self
        test.exceptions[front] = reason
        return test
    }

    public var description: String { "\(name) [\(reference), \(kind.rawValue)]" }

    /// The whole suite.
    public static var all: [CachingCase] {
        freshness + fields + statuses + requests + storage + selection + posting + ranges + parts
            + shared.map { $0.of(.shared) } + targeted.map { $0.of(.targeted) }
    }

    private func of(_ cache: Cache) -> CachingCase {
        var test = self
        test.cache = cache
        return test
    }

    /// When every case starts: 2026-01-01T00:00:00Z.
    public static let start = Date(timeIntervalSince1970: 1_767_225_600)

    /// An HTTP date so many seconds after the start.
    public static func date(_ seconds: Int) -> String { HTTPDate.format(start + Double(seconds)) }
}

/// One exchange of a case.
public struct CachingExchange: Sendable {
    /// What the origin does if it is asked.
    public enum Origin: Sendable {
        /// Answers; `Date` is the time of the exchange unless the fields say otherwise.
        case answers(Int, HTTPFields)
        /// Answers without adding `Date`.
        case answersUndated(Int, HTTPFields)
        /// Answers, and loses the connection after so many bytes of the body.
        case breaksOff(Int, HTTPFields, after: Int)
        case isUnreachable

        /// Answers 200.
        public static func ok(_ fields: HTTPFields = [:]) -> Origin { .answers(200, fields) }
        /// Answers 304.
        public static func notModified(_ fields: HTTPFields = [:]) -> Origin { .answers(304, fields) }
    }

    /// What shall happen.
    public enum Outcome: Sendable, Hashable {
        /// The cache answers and the origin sees nothing.
        case hit
        /// The cache answers and the origin is asked behind the answer.
        case hitAndAsk
        /// The origin answers; it sees the request as the caller sent it.
        case miss
        /// The origin sees a condition of the cache and answers 304; the cache answers.
        case validated
        /// The origin sees a condition of the cache and sends something new.
        case replaced
        /// The origin sees the cache ask for what is missing of a part and sends it; the caller gets the whole.
        case completed
        /// The origin fails and the cache answers.
        case rescued
        /// The origin cannot be reached, or breaks off, and the caller gets the failure.
        case failed
        /// The cache answers 504 and the origin sees nothing.
        case refused
    }

    /// Seconds after the start of the case.
    public var time: Double
    public var method: HTTPMethod
    public var path: String
    public var fields: HTTPFields
    public var origin: Origin
    public var outcome: Outcome
    /// What the origin's whole is, when that matters; a 206 sends the part of it that its `Content-Range` names.
    public var sends: String?
    /// The content coding that the transport takes off the origin's body.
    public var coding: String?
    /// The position in the case of the exchange whose body comes.
    public var body: Int?
    /// The very bytes that the caller gets.
    public var reads: String?
    /// The status the caller gets.
    public var status: Int?
    /// Fields the caller gets; `nil` for one that must be absent.
    public var gets: [HTTPFieldName: String?]
    /// Fields the origin sees; `nil` for one that must be absent.
    public var sees: [HTTPFieldName: String?]
    /// From here on a segment holds what is stored.
    public var pins: Bool

    /// Creates a GET, or a request with another method.
    public init(
        _ time: Double, _ outcome: Outcome, _ fields: HTTPFields = [:], method: HTTPMethod = .get, path: String = "/a",
        origin: Origin = .answers(500, [:]), sends: String? = nil, coding: String? = nil, body: Int? = nil,
        reads: String? = nil, status: Int? = nil,
        gets: [HTTPFieldName: String?] = [:], sees: [HTTPFieldName: String?] = [:], pins: Bool = false
    ) {
        self.time = time
        self.method = method
        self.path = path
        self.fields = fields
        self.origin = origin
        self.outcome = outcome
        self.sends = sends
        self.coding = coding
        self.body = body
        self.reads = reads
        self.status = status
        self.gets = gets
        self.sees = sees
        self.pins = pins
    }
}
