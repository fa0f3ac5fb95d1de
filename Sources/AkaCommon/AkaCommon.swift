public import Larder
public import VocCommon

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// The shared entry to the SDK, under the name the retired SDK gave it.
///
/// Before ``configure()`` it exists and does nothing. Safe to use from any thread.
public final class AkaCommon: Sendable {
    private static let instance = AkaCommon()
    private let client = SharedClient.shared
    private let weakDelegate = Locked(WeakDelegate())

    private init() {}

    /// The shared instance.
    public static func shared() -> AkaCommon { instance }

    /// Reads the `com.akamai` options of the app's Info.plist and starts the SDK. Performs disk I/O; a second call does nothing.
    ///
    /// The shared session is intercepted from here on. Without an API key and a server address only the cache works. What
    /// cannot be used of the options is named, each in a line of the log.
    public static func configure() { instance.client.start { LarderOptions() } }

    /// The same with the options of a property list at a path; one that cannot be read counts as empty.
    public static func configure(withPlist path: String) {
        instance.client.start { LarderOptions(propertyListPath: path) }
    }

    /// Whether debug lines, one for each request answered, are printed to the console. Not for production.
    public var debugConsoleEnabled: Bool {
        get { client.isDebugging }
        set { client.isDebugging = newValue }
    }

    /// Prints a line when the debug console is on.
    public func debugConsolePrint(_ line: String?) {
        if let line, debugConsoleEnabled { print(line) }
    }

    /// Decides over servers' certificates; held weakly. Asked before a `VocServiceDelegate` is.
    public var delegate: (any AkaCommonDelegate)? {
        get { weakDelegate.withLock { $0.delegate } }
        set {
            weakDelegate.withLock { $0.delegate = newValue }
            let type = newValue.map { ObjectIdentifier(Swift.type(of: $0)) }
            client.setChallengeDelegate(ofType: type) { [weak self] challenge, answer in
                self?.delegate?.didReceiveChallenge(
                    for: challenge.originalRequest, currentRequest: challenge.currentRequest,
                    challenge: challenge.challenge, modifiedTrust: challenge.trust, completion: answer)
            }
        }
    }

    /// Puts the SDK ahead of the protocol classes of a configuration, for the sessions made with it from now on.
    public func interceptSessions(with configuration: URLSessionConfiguration) { client.intercept(configuration) }

    /// Takes a remote notification when it is for the SDK: when its payload has the key `mapsdk`.
    ///
    /// - Parameter completionHandler: called once when the SDK has done what the notification asks, within 25 seconds; not called
    ///   when the result is `false`. On the main queue where there is UIKit, on any thread elsewhere.
    /// - Returns: whether the notification was for the SDK.
    public func didReceiveRemoteNotification(
        _ userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool { client.takeNotification(userInfo, completionHandler) }

    /// The SDK's own API, once configured: everything here is a face of it.
    public var larder: LarderClient? { client.client }
}

/// A delegate that goes when nobody else holds it.
private struct WeakDelegate: @unchecked Sendable {  // behind a lock; the delegate itself is only called
    weak var delegate: (any AkaCommonDelegate)?
}
