import HTTPModel
import Transport

/// The request that a redirect response leads to (RFC 9110, section 15.4).
struct Redirect {
    /// Most redirects followed for one request; the next 3xx is the answer.
    static let countMax = 10

    var request: HTTPRequest
    var body: RequestBody?

    /// The next request; `nil` when the response is none that can be followed: no usable `Location`, a way from `https` to
    /// `http`, or a body that cannot be sent twice.
    init?(from request: HTTPRequest, body: RequestBody?, response: HTTPResponse) {
        guard [301, 302, 303, 307, 308].contains(response.status),
            let location = response.fields.values(of: .location).first,
            let target = request.url.resolving(location), target.isSecure || !request.url.isSecure
        else { return nil }
        var next = HTTPRequest(method: request.method, url: target, fields: request.fields)
        let becomesGet =
            response.status == 303
            ? request.method != .head : [301, 302].contains(response.status) && request.method == .post
        self.body = body
        if becomesGet {
            next.method = .get
            self.body = nil
        }
        if case .stream = self.body { return nil }
        let isSameOrigin = target.origin == request.url.origin
        next.fields.removeAll { field in
            (becomesGet && Self.bodyFields.contains(field.name)) || Self.validatingFields.contains(field.name)
                || (!isSameOrigin && Self.originFields.contains(field.name))
        }
        self.request = next
    }

    private static let bodyFields: Set<HTTPFieldName> = [
        .contentType, .contentLength, .contentEncoding, .contentLocation, .transferEncoding, "Content-Language",
    ]
    /// They are about the resource that redirected.
    private static let validatingFields: Set<HTTPFieldName> = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
    ]
    /// They are for the origin that the app had in mind.
    private static let originFields: Set<HTTPFieldName> = [
        .authorization, .cookie, .host, "Proxy-Authorization", "Origin",
    ]
}
