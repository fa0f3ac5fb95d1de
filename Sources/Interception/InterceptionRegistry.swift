import Acceleration
import Foundation
import HTTPModel
import Primitives

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The handlers that are installed, oldest first; one for the process, because Foundation makes protocol objects by class.
struct InterceptionRegistry {
    struct Entry: Sendable {
        let handler: any RequestHandling & AnyObject
        let options: InterceptionOptions
    }

    static let shared = Locked(InterceptionRegistry())

    private var entries: [Entry] = []

    /// The handler that answers: the newest.
    var current: Entry? { entries.last }

    mutating func install(_ entry: Entry) {
        remove(entry.handler)
        entries.append(entry)
    }

    mutating func remove(_ handler: any RequestHandling & AnyObject) {
        entries.removeAll { $0.handler === handler }
    }

    /// Whether a request is for the current handler, as far as the request alone tells.
    ///
    /// Runs under a lock of Foundation's: it must not call anything of the URL loading system.
    func accepts(_ request: URLRequest) -> Bool {
        guard let current, let url = request.url, ["http", "https"].contains(url.scheme?.lowercased()),
            url.host?.isEmpty == false
        else { return false }
        // A body that can be read only once belongs to the native class, and so does a change of protocol.
        guard request.httpBodyStream == nil, request.value(forHTTPHeaderField: "Upgrade") == nil else { return false }
        let method = request.httpMethod ?? "GET"
        return HTTPMethod(rawValue: method) != nil && !current.options.ignoredMethods.contains(method.uppercased())
    }
}
