public import Foundation
public import HTTPModel
import Primitives
public import Transport

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Translates between Foundation's request and response types and the engine's.
public enum FoundationBridge {
    /// A `URLRequest` in the engine's terms.
    public struct Translation: Sendable {
        public var request: HTTPRequest
        public var body: RequestBody?
        public var options: RequestOptions
    }

    /// Translates a request: method, URL, fields, body, time limit and cache policy.
    ///
    /// User information in the URL becomes an `Authorization` field. Fields that describe the connection or the length of the
    /// body are left to the transport, and so is `Host`, which would let one origin answer for another in the cache. Performs
    /// no I/O: a body stream is read as the network takes it, and cannot be sent twice.
    /// - Throws: `URLError` when the URL is not an `http` or `https` one or the method is not a token.
    public static func translate(_ request: URLRequest) throws(URLError) -> Translation {
        guard let source = request.url else { throw URLError(.badURL) }
        let (address, authorization) = try address(of: source)
        guard let method = HTTPMethod(rawValue: request.httpMethod ?? "GET") else {
            throw error(.badURL, "the method of the request is not a token", url: source)
        }
        var fields = fields(from: request.allHTTPHeaderFields ?? [:])
        if let authorization, !fields.contains(.authorization) { fields.append(.authorization, authorization) }
        for directive in directives(for: request.cachePolicy) { fields.append(.cacheControl, directive) }
        let body = body(of: request)
        if body != nil, method == .post, !fields.contains(.contentType) {
            fields.append(.contentType, "application/x-www-form-urlencoded")  // what the native session sends
        }
        var options = RequestOptions()
        if request.timeoutInterval.isFinite, request.timeoutInterval > 0 {
            // The clamp keeps the conversion to whole milliseconds from overflowing: ten years are as good as for ever.
            options.idleTimeout = .milliseconds(Int64(min(request.timeoutInterval, 315_360_000) * 1_000))
        }
        return Translation(
            request: HTTPRequest(method: method, url: address, fields: fields), body: body, options: options)
    }

    /// Field lines from a dictionary, in the order of their names; names that are no tokens and fields that the transport
    /// sets itself are left out.
    public static func fields(from dictionary: [String: String]) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            guard let name = HTTPFieldName(name), !transportFields.contains(name) else { continue }
            fields.append(name, value)
        }
        return fields
    }

    /// Makes Foundation's response from the engine's; lines of the same name are joined with ", ".
    /// - Parameter httpVersion: such as "2"; "1.1" unless told.
    public static func response(
        _ response: HTTPResponse, url: HTTPURL, httpVersion: String? = nil
    ) throws(URLError) -> HTTPURLResponse {
        var fields: [String: String] = [:]
        var spelling: [HTTPFieldName: String] = [:]
        for field in response.fields {
            let name = spelling[field.name] ?? field.name.rawName
            spelling[field.name] = name
            let value = FieldText.readable(field.value)
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        guard let url = URL(string: url.string),
            let made = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/\(httpVersion ?? "1.1")", headerFields: fields
            )
        else { throw URLError(.badServerResponse) }
        return made
    }

    /// The `URLError` that an app expects for a failure of the engine, with the failure as underlying error.
    public static func urlError(for failure: any Error, url: URL?) -> URLError {
        switch failure {
        case let failure as URLError: failure
        case is CancellationError: error(.cancelled, "cancelled", url: url)
        case let failure as TransportError:
            error(code(for: failure.code), failure.description, underlying: failure, url: url)
        default: error(.unknown, "\(failure)", underlying: failure, url: url)
        }
    }

    // MARK: - Parts

    private static let transportFields: Set<HTTPFieldName> = [
        .host, .connection, .contentLength, .transferEncoding, "Keep-Alive", "Proxy-Connection", "TE", "Trailer",
        "Upgrade",
        "Expect",
    ]

    private static func address(of url: URL) throws(URLError) -> (HTTPURL, authorization: String?) {
        let absolute = url.absoluteURL
        if let address = HTTPURL(absolute.absoluteString) { return (address, nil) }
        if var parts = URLComponents(url: absolute, resolvingAgainstBaseURL: true), let user = parts.user {
            let password = parts.password ?? ""
            (parts.user, parts.password) = (nil, nil)
            if let address = parts.string.flatMap({ HTTPURL($0) }) {
                return (address, "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
            }
        }
        throw error(.unsupportedURL, "only http and https URLs can be asked for", url: url)
    }

    private static func directives(for policy: URLRequest.CachePolicy) -> [String] {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: ["no-cache"]
        case .reloadRevalidatingCacheData: ["max-age=0"]
        case .returnCacheDataElseLoad: ["max-stale"]
        case .returnCacheDataDontLoad: ["only-if-cached", "max-stale"]
        default: []
        }
    }

    private static func body(of request: URLRequest) -> RequestBody? {
        if let data = request.httpBody { return .data(data) }
        guard let stream = request.httpBodyStream else { return nil }
        let byteCount = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
        return .stream(ByteStream(InputStreamSource(stream)), byteCount: byteCount.flatMap { $0 >= 0 ? $0 : nil })
    }

    private static func code(for code: TransportError.Code) -> URLError.Code {
        switch code {
        case .nameNotResolved: .cannotFindHost
        case .connectionFailed: .cannotConnectToHost
        case .tlsFailed: .secureConnectionFailed
        case .certificateRejected, .pinMismatch: .serverCertificateUntrusted
        case .timedOut: .timedOut
        case .connectionLost, .bodyTruncated: .networkConnectionLost
        case .malformedResponse: .cannotParseResponse
        case .requestBodyFailed: .requestBodyStreamExhausted
        case .contentDecodingFailed: .cannotDecodeContentData
        case .shutDown, .cancelled: .cancelled
        case .other: .unknown
        }
    }

    private static func error(
        _ code: URLError.Code, _ description: String, underlying: (any Error)? = nil, url: URL?
    ) -> URLError {
        var information: [String: Any] = [NSLocalizedDescriptionKey: description]
        if let underlying { information[NSUnderlyingErrorKey] = underlying }
        if let url { information[NSURLErrorFailingURLErrorKey] = url }
        return URLError(code, userInfo: information)
    }
}
