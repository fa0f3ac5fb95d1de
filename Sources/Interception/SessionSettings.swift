import Acceleration
import Foundation
import HTTPModel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a session's configuration asks of each exchange: fields, time limits, cookies.
///
/// The native class does this itself; the adapter does it in its place, so that interception changes no request's meaning.
struct SessionSettings: Sendable {
    private static let defaultTimeout: TimeInterval = 60

    private let configuration: URLSessionConfiguration

    init(_ configuration: URLSessionConfiguration) { self.configuration = configuration }

    /// The request with the configuration's additional fields, which the request's own override.
    func completed(_ request: URLRequest) -> URLRequest {
        var request = request
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = name as? String, request.value(forHTTPHeaderField: name) == nil else { continue }
            request.setValue("\(value)", forHTTPHeaderField: name)
        }
        return request
    }

    /// The request with the stored cookies of its URL instead of those it has.
    ///
    /// Foundation has done so for the first request of a task; this is for the redirected ones.
    func withCookies(_ request: URLRequest) -> URLRequest {
        guard configuration.httpShouldSetCookies, request.httpShouldHandleCookies, let url = request.url,
            let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
        else { return request }
        var request = request
        for (name, value) in HTTPCookie.requestHeaderFields(with: cookies) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Stores the cookies that a response sets, unless it comes whole from the store: those were set when it was fetched.
    func storeCookies(of response: AcceleratedResponse, from url: HTTPURL, for request: URLRequest) {
        guard response.storedBody == nil, configuration.httpCookieAcceptPolicy != .never,
            request.httpShouldHandleCookies, let storage = configuration.httpCookieStorage,
            let url = URL(string: url.string)
        else { return }
        for value in response.response.fields.values(of: .setCookie) {
            let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
            storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
        }
    }

    /// A request in the engine's terms, with the session's time limits. Redirects are for the caller to follow.
    /// - Throws: `URLError` when the engine cannot send it.
    func translated(_ request: URLRequest) throws(URLError) -> FoundationBridge.Translation {
        var translation = try FoundationBridge.translate(request)
        translation.options.followsRedirects = false
        limit(&translation.options, for: request)
        return translation
    }

    /// Sets the time limits: the request's own where it differs from the default, else the configuration's.
    private func limit(_ options: inout RequestOptions, for request: URLRequest) {
        let idle =
            request.timeoutInterval == Self.defaultTimeout
            ? configuration.timeoutIntervalForRequest : request.timeoutInterval
        if let idle = Self.duration(idle) { options.idleTimeout = idle }
        options.totalTimeout = Self.duration(configuration.timeoutIntervalForResource)
    }

    /// `nil` for what is no limit; ten years at most, so that no conversion overflows.
    private static func duration(_ interval: TimeInterval) -> Duration? {
        guard interval.isFinite, interval > 0 else { return nil }
        return .milliseconds(Int64(min(interval, 315_360_000) * 1_000))
    }
}
