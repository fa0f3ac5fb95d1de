public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The smallest stand-in for Apple's WebKit that the retired SDK's samples compile with: a web view that loads a page by
/// handing its request to the handler of its scheme.
public final class WKWebViewConfiguration: NSObject {
    var handlers: [String: any WKURLSchemeHandler] = [:]

    /// Sets who loads URLs of a scheme.
    public func setURLSchemeHandler(_ handler: (any WKURLSchemeHandler)?, forURLScheme scheme: String) {
        handlers[scheme] = handler
    }
}

/// Loads URLs of a scheme.
public protocol WKURLSchemeHandler: NSObjectProtocol {
    func webView(_ webView: WKWebView, start urlSchemeTask: any WKURLSchemeTask)
    func webView(_ webView: WKWebView, stop urlSchemeTask: any WKURLSchemeTask)
}

/// One resource that a web view asks for.
public protocol WKURLSchemeTask: NSObjectProtocol, Sendable {
    var request: URLRequest { get }
    func didReceive(_ response: URLResponse)
    func didReceive(_ data: Data)
    func didFinish()
    func didFailWithError(_ error: any Error)
}

/// A web view.
public final class WKWebView: NSObject {
    /// Makes the task for a request that a web view is told to load.
    ///
    /// Set before a web view is used.
    nonisolated(unsafe) public static var makeTask: ((URLRequest) -> any WKURLSchemeTask)?

    private let configuration: WKWebViewConfiguration

    /// Creates a web view that shows nothing.
    public init(frame: CGRect, configuration: WKWebViewConfiguration) { self.configuration = configuration }

    /// Loads a page.
    public func load(_ request: URLRequest) {
        guard let scheme = request.url?.scheme, let task = Self.makeTask?(request) else { return }
        configuration.handlers[scheme]?.webView(self, start: task)
    }
}
