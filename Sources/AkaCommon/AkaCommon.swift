import Foundation
package import Larder
import Prepositioning
import Primitives

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// The shared entry to the SDK, under the name the retired SDK gave it.
///
/// Before ``configure()`` it exists and does nothing. Safe to use from any thread.
public final class AkaCommon: Sendable {
    private struct State {
        /// Set by the first of several calls, which goes on alone.
        var isConfigured = false
        var client: LarderClient?
        var isDebugging = false
        var debugging: Task<Void, Never>?
        /// Who waits for the client.
        var waiting: [@Sendable (LarderClient) -> Void] = []
    }

    private static let instance = AkaCommon()
    private let state = Locked(State())

    private init() {}

    /// The shared instance.
    public static func shared() -> AkaCommon { instance }

    /// Reads the `com.akamai` options of the app's Info.plist and starts the SDK. Performs disk I/O; a second call does nothing.
    ///
    /// The shared session is intercepted from here on. Without an API key and a server address only the cache works.
    public static func configure() {
        instance.start(AkaOptions(propertyList: Bundle.main.infoDictionary ?? [:]))
    }

    /// The same with the options of a property list at a path; one that cannot be read counts as empty, in one log line.
    public static func configure(withPlist path: String) {
        do {
            let data = try Data(contentsOf: URL(fileURLWithPath: path))
            let list = try PropertyListSerialization.propertyList(from: data, format: nil)
            instance.start(AkaOptions(propertyList: list as? [String: Any] ?? [:]))
        } catch {
            FileHandle.standardError.write(Data("larder: the property list \(path) cannot be read: \(error)\n".utf8))
            instance.start(AkaOptions(propertyList: [:]))
        }
    }

    /// Whether debug lines, one for each request answered, are printed to the console. Not for production.
    public var debugConsoleEnabled: Bool {
        get { state.withLock { $0.isDebugging } }
        set {
            let ended = state.withLock { state -> Task<Void, Never>? in
                state.isDebugging = newValue
                defer { state.debugging = nil }
                return state.debugging
            }
            ended?.cancel()
            if newValue, let client { startDebugging(client) }
        }
    }

    /// Prints a line when the debug console is on.
    public func debugConsolePrint(_ line: String) {
        if debugConsoleEnabled { print(line) }
    }

    /// Puts the SDK ahead of the protocol classes of a configuration, for the sessions made with it from now on.
    public func interceptSessions(with configuration: URLSessionConfiguration) { client?.intercept(configuration) }

    /// Takes a remote notification when it is for the SDK: when its payload has the key `mapsdk`.
    ///
    /// - Parameter completionHandler: called once, on any thread, when the SDK has done what the notification asks; not called
    ///   when the result is `false`.
    /// - Returns: whether the notification was for the SDK.
    public func didReceiveRemoteNotification(
        _ userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool {
        guard userInfo["mapsdk"] != nil else { return false }
        guard let client else {
            completionHandler(.failed)
            return true
        }
        let completion = Completion(call: completionHandler)
        Task {
            let report = await client.sync()
            completion.call(
                report.itemsDownloaded > 0 ? .newData : report.failures.isEmpty ? .noData : .failed)
        }
        return true
    }

    /// A completion handler on its way to the one call of it.
    private struct Completion: @unchecked Sendable {  // called once, and by then nobody else has it
        let call: (UIBackgroundFetchResult) -> Void
    }

    // MARK: - For the faces

    /// The client, once configured.
    package var client: LarderClient? { state.withLock { $0.client } }

    /// Calls back with the client, now or when it is configured.
    package func whenConfigured(_ body: @escaping @Sendable (LarderClient) -> Void) {
        let client = state.withLock { state in
            if state.client == nil { state.waiting.append(body) }
            return state.client
        }
        if let client { body(client) }
    }

    /// Ends the client, so that another configuration can begin.
    package func reset() async {
        debugConsoleEnabled = false
        let client = state.withLock { state in
            state.isConfigured = false
            return state.client.take()
        }
        await client?.shutDown()
    }

    private func start(_ options: AkaOptions) {
        let isFirst = state.withLock { state in
            defer { state.isConfigured = true }
            return !state.isConfigured
        }
        guard isFirst else { return }
        let made = LarderClient(configuration: options.configuration)
        let waiting = state.withLock { state in
            state.client = made
            defer { state.waiting = [] }
            return state.waiting
        }
        made.intercept(URLSession.shared)
        for body in waiting { body(made) }
        if debugConsoleEnabled { startDebugging(made) }
    }

    private func startDebugging(_ client: LarderClient) {
        let exchanges = client.exchanges()
        let task = Task { [weak self] in
            for await record in exchanges { self?.debugConsolePrint(record.debugLine) }
        }
        let ended = state.withLock { state -> Task<Void, Never>? in
            defer { state.debugging = task }
            return state.debugging
        }
        ended?.cancel()
    }
}
