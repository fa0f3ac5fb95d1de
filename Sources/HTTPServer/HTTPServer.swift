public import HTTPModel
public import Primitives
import Wire

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
}

/// The body of an answer.
public enum ServerBody: Sendable {
    case data(Data)
    /// A file, sent by the kernel; `range` for a part of it.
    case file(path: String, range: Range<Int64>?)
    /// A stream of unknown length.
    case stream(ByteStream)
}

/// An answer.
public struct ServerResponse: Sendable {
    public var status: Int
    public var fields: HTTPFields
    public var body: ServerBody

    /// Creates an answer.
    public init(status: Int = 200, fields: HTTPFields = HTTPFields(), body: ServerBody = .data(Data())) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// One line of the route table.
public struct Route: Sendable {
    public typealias Handler = @Sendable (ServerRequest) async throws -> ServerResponse

    public var method: HTTPMethod
    /// Such as "/v1/apps/{app}/release"; a last segment `{name...}` takes the rest of the path.
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

/// One structured line of the log.
public struct ServerLogLine: Sendable, Hashable, Codable {
    public var date: Date
    public var id: String
    public var method: String
    /// The route's pattern, never the raw path.
    public var route: String
    public var status: Int
    public var microseconds: Int64
    public var byteCount: Int64
    public var remoteAddress: String
    /// What went wrong inside, when the answer is 500.
    public var failure: String?
}

/// An HTTP/1.1 server on libmicrohttpd. HTTP/2, HTTP/3 and public TLS belong to a proxy in front.
///
/// Errors of handlers become problem documents: a thrown ``ProblemDocument`` as it is, anything else 500 without its text.
/// Unknown paths answer 404, known paths with another method 405 with `Allow`, bad requests 400, longer bodies 413.
public final class HTTPServer: Sendable {
    /// The limits of a server.
    public struct Configuration: Sendable, Hashable {
        /// A numeric address, IPv4 or IPv6.
        public var address = "127.0.0.1"
        /// 0 picks a free port.
        public var port: UInt16 = 0
        public var threadCount = 2
        public var connectionsMax = 1_000
        public var idleTimeoutSeconds = 60

        /// The defaults.
        public init() {}
    }

    /// Binds and starts to answer.
    /// - Throws: ``HTTPServerError`` when the address is taken or not ours.
    public init(
        configuration: Configuration, routes: [Route], timekeeper: any Timekeeping,
        log: @escaping @Sendable (ServerLogLine) -> Void = { _ in }
    ) throws(HTTPServerError) { fatalError("stub") }

    /// The port in use.
    public var port: UInt16 { fatalError("stub") }

    /// Stops taking connections, lets requests under way end (at most `grace`), then closes.
    public func stop(grace: Duration = .seconds(10)) async { fatalError("stub") }
}

/// Why a server could not start.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    public var description: String
    /// Creates an error.
    public init(_ description: String) { self.description = description }
}
