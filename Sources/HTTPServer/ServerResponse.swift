public import HTTPModel
public import Primitives
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

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
    /// `Content-Length`, `Transfer-Encoding` and `Connection` are the server's own business and are left out.
    public var fields: HTTPFields
    public var body: ServerBody

    /// Creates an answer.
    public init(status: Int = 200, fields: HTTPFields = HTTPFields(), body: ServerBody = .data(Data())) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// An answer that carries a value as JSON.
    public static func json(
        _ value: some Encodable, status: Int = 200, fields: HTTPFields = HTTPFields()
    ) throws -> ServerResponse {
        var response = ServerResponse(status: status, fields: fields, body: .data(try WireCoding.encode(value)))
        response.fields[.contentType] = "application/json"
        return response
    }

    /// An answer that carries a problem document (RFC 9457); 401 names the `Bearer` scheme (RFC 9110, section 11.6.1).
    public static func problem(_ problem: ProblemDocument, fields: HTTPFields = HTTPFields()) -> ServerResponse {
        // A problem of strings and a number always encodes; were it not so, the status alone would still tell the truth.
        let body = (try? WireCoding.encode(problem)) ?? Data()
        var response = ServerResponse(status: problem.status, fields: fields, body: .data(body))
        response.fields[.contentType] = "application/problem+json"
        if response.fields[.cacheControl] == nil { response.fields[.cacheControl] = "no-store" }
        if problem.status == 401, response.fields[.wwwAuthenticate] == nil {
            response.fields[.wwwAuthenticate] = "Bearer realm=\"larder\""
        }
        return response
    }
}
