/// A request method (RFC 9110, section 9): case-sensitive, any token.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, CustomStringConvertible {
    public let rawValue: String

    /// Creates a method; `nil` when the text is not a token.
    public init?(rawValue: String) {
        guard HTTPFieldName.isToken(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(_ known: StaticString) { rawValue = known.description }

    public static let get = HTTPMethod("GET")
    public static let head = HTTPMethod("HEAD")
    public static let post = HTTPMethod("POST")
    public static let put = HTTPMethod("PUT")
    public static let patch = HTTPMethod("PATCH")
    public static let delete = HTTPMethod("DELETE")
    public static let options = HTTPMethod("OPTIONS")
    public static let trace = HTTPMethod("TRACE")

    /// Whether the method is safe (RFC 9110, section 9.2.1); unknown methods are not.
    public var isSafe: Bool {
        switch rawValue {
        case "GET", "HEAD", "OPTIONS", "TRACE": true
        default: false
        }
    }
    /// Whether the method is idempotent (RFC 9110, section 9.2.2); unknown methods are not.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    public var description: String { rawValue }
}

/// The head of a request.
public struct HTTPRequest: Sendable, Hashable {
    public var method: HTTPMethod
    public var url: HTTPURL
    public var fields: HTTPFields

    /// Creates a request head.
    public init(method: HTTPMethod = .get, url: HTTPURL, fields: HTTPFields = HTTPFields()) {
        self.method = method
        self.url = url
        self.fields = fields
    }
}

/// The head of a response.
public struct HTTPResponse: Sendable, Hashable {
    /// The status code, 100 to 999.
    public var status: Int
    public var fields: HTTPFields

    /// Creates a response head.
    public init(status: Int, fields: HTTPFields = HTTPFields()) {
        self.status = status
        self.fields = fields
    }
}
