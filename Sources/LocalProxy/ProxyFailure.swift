import HTTPModel
import Transport

/// An answer that the proxy gives by itself because a request cannot be carried out.
struct ProxyFailure: Error, Sendable {
    var status: Int
    /// What went wrong and what to do, for people.
    var sentence: String
    /// The type of the failure (RFC 9209, section 2.3), for `Proxy-Status`.
    var type: String?
    /// Whether the request went forward, so that the answer has a member of `Cache-Status` that says so.
    var wentForward = false

    static func badRequest(_ sentence: String) -> Self {
        Self(status: 400, sentence: sentence, type: "http_request_error")
    }
    static func targetTooLong(byteCountMax: Int) -> Self {
        Self(
            status: 414, sentence: "the request's target is longer than \(byteCountMax) bytes",
            type: "http_request_error")
    }
    static func headTooLarge(byteCountMax: Int) -> Self {
        Self(
            status: 431, sentence: "the request's head is larger than \(byteCountMax) bytes",
            type: "http_request_error")
    }
    static var versionNotSupported: Self {
        Self(status: 505, sentence: "this port speaks HTTP/1.1 and HTTP/1.0 only", type: "http_request_error")
    }
    static var headTooSlow: Self {
        Self(status: 408, sentence: "the request did not come in time", type: "http_request_error")
    }

    /// What a failure of the engine is to the client; `nil` when the client itself is the reason.
    init?(_ error: any Error) {
        guard let error = error as? TransportError else { return nil }
        let (status, type): (Int, String?) =
            switch error.code {
            case .timedOut: (504, "http_response_timeout")
            case .nameNotResolved: (502, "dns_error")
            case .connectionFailed: (502, "connection_refused")
            case .connectionLost: (502, "connection_terminated")
            case .tlsFailed: (502, "tls_protocol_error")
            case .certificateRejected, .pinMismatch, .cancelled: (502, "tls_certificate_error")
            case .malformedResponse: (502, "http_protocol_error")
            case .bodyTruncated: (502, "http_response_incomplete")
            case .contentDecodingFailed: (502, "http_response_content_coding")
            case .shutDown: (503, "proxy_internal_response")
            case .requestBodyFailed: (400, "http_request_error")
            case .other: (502, "proxy_internal_error")
            }
        self.init(status: status, sentence: error.description, type: type, wentForward: true)
    }

    init(status: Int, sentence: String, type: String? = nil, wentForward: Bool = false) {
        (self.status, self.sentence, self.type, self.wentForward) = (status, sentence, type, wentForward)
    }

    /// The answer, whose body says what failed.
    /// - Parameters:
    ///   - name: what the proxy calls itself.
    ///   - reason: why the request went forward, when it did.
    func response(name: String, reason: CacheStatus.ForwardReason) -> (head: HTTPResponse, body: String) {
        let body = "\(status) \(StatusText.of(status))\n\(sentence)\n"
        var fields: HTTPFields = [
            .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", "X-Content-Type-Options": "nosniff",
        ]
        if wentForward {
            fields.append(.cacheStatus, CacheStatus(forwardReason: reason, detail: type).description)
        }
        if let type { fields.append("Proxy-Status", "\(name); error=\(type)") }
        return (HTTPResponse(status: status, fields: fields), body)
    }
}
