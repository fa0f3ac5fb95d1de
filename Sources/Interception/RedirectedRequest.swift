import Foundation
import HTTPModel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The request that a redirect response asks for (RFC 9110, section 15.4).
struct RedirectedRequest: Sendable {
    /// The statuses that send a client elsewhere.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    let request: URLRequest
    /// Whether the body goes along.
    let keepsBody: Bool

    /// Reads a response; `nil` when it is no redirect or names no place.
    ///
    /// 303 becomes GET, as does a POST after 301 or 302. Credentials and cookies do not go to another origin.
    /// - Throws: `URLError.unsupportedURL` when the place is not an `http` or `https` URL.
    init?(_ response: HTTPResponse, from url: HTTPURL, of request: URLRequest) throws {
        guard Self.statuses.contains(response.status),
            let location = response.fields.values(of: .location).first
        else { return nil }
        guard let target = url.resolving(location), let address = URL(string: target.string) else {
            throw URLError(.unsupportedURL)
        }
        let method = request.httpMethod ?? "GET"
        let becomesGet =
            (response.status == 303 && method != "GET" && method != "HEAD")
            || (response.status < 303 && method == "POST")
        var next = request
        next.url = address
        keepsBody = !becomesGet
        if becomesGet {
            next.httpMethod = "GET"
            next.httpBody = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding"] {
                next.setValue(nil, forHTTPHeaderField: name)
            }
        }
        if target.origin != url.origin {
            next.setValue(nil, forHTTPHeaderField: "Authorization")
            next.setValue(nil, forHTTPHeaderField: "Cookie")
        }
        self.request = next
    }
}
