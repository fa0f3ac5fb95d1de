public import HTTPModel

/// One line of the route table.
public struct Route: Sendable {
    public typealias Handler = @Sendable (ServerRequest) async throws -> ServerResponse

    public var method: HTTPMethod
    /// Such as "/v1/apps/{app}/release"; a last segment `{name...}` takes the rest of the path, also an empty one.
    public var pattern: String
    /// Most bytes of body taken.
    public var bodyByteCountMax: Int
    public var handler: Handler

    /// Creates a route. GET routes answer HEAD as well.
    public init(_ method: HTTPMethod, _ pattern: String, bodyByteCountMax: Int = 1 << 20, handler: @escaping Handler) {
        self.method = method
        self.pattern = pattern
        self.bodyByteCountMax = bodyByteCountMax
        self.handler = handler
    }
}
