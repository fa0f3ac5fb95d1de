public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A request as a handler sees it.
public struct ServerRequest: Sendable {
    public var method: HTTPMethod
    /// The path, percent-decoded once, without the query; never with `.` or `..` segments or NUL.
    public var path: String
    /// Query parameters in order, decoded.
    public var query: [(name: String, value: String)]
    public var fields: HTTPFields
    /// The whole body; longer ones were answered 413 before the handler.
    public var body: Data
    /// Values of the route's `{name}` segments, decoded.
    public var parameters: [String: String]
    public var remoteAddress: String
    /// Unique in the log.
    public var id: String

    /// Creates a value.
    public init(
        method: HTTPMethod, path: String, query: [(name: String, value: String)] = [],
        fields: HTTPFields = HTTPFields(),
        body: Data = Data(), parameters: [String: String] = [:], remoteAddress: String = "", id: String = ""
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
        self.body = body
        self.parameters = parameters
        self.remoteAddress = remoteAddress
        self.id = id
    }

    /// The value of a `{name}` segment of the route; empty when the route has no such segment.
    public func parameter(_ name: String) -> String { parameters[name] ?? "" }

    /// The first value of a query parameter.
    public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }
}
