import Acceleration
import Foundation
import HTTPModel
import Primitives

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The handlers that are installed, oldest first; one for the process, because Foundation makes protocol objects by class.
struct InterceptionRegistry {
    typealias Handler = any RequestHandling & AnyObject

    static let shared = Locked(InterceptionRegistry())

    private var handlers: [Handler] = []

    /// The handler that answers: the newest.
    var current: Handler? { handlers.last }

    mutating func install(_ handler: Handler) {
        remove(handler)
        handlers.append(handler)
    }

    mutating func remove(_ handler: Handler) { handlers.removeAll { $0 === handler } }

    /// Whether a request is for the current handler, as far as the request alone tells.
    ///
    /// Runs under a lock of Foundation's: it must not call anything of the URL loading system.
    func accepts(_ request: URLRequest) -> Bool {
        guard let current, let url = request.url, ["http", "https"].contains(url.scheme?.lowercased()),
            let host = url.host, !host.isEmpty
        else { return false }
        // A body that can be read only once belongs to the native class, and so does a change of protocol.
        guard request.httpBodyStream == nil, request.value(forHTTPHeaderField: "Upgrade") == nil else { return false }
        let method = request.httpMethod ?? "GET"
        // A tunnel is no exchange.
        guard HTTPMethod(rawValue: method) != nil, method.uppercased() != "CONNECT" else { return false }
        return current.rules.takes(method: method, host: host)
    }
}
