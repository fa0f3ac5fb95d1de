public import Foundation

/// The service that both generations of the retired SDK hand out.
///
/// Every call is safe from any thread. Before the SDK is configured the calls do nothing and the properties have the values of
/// a service that is not registered.
public protocol VocService: AnyObject, Sendable {
    // MARK: State

    /// Where the service stands.
    var state: VOCServiceState { get }
    /// The settings; they take effect at once and survive restarts unless a setting says otherwise.
    var config: VocConfig { get }
    /// The kind of network in use; wired ones count as Wi-Fi.
    var connectionType: VOCConnectionType { get }
    /// Whether content may be downloaded ahead of need now.
    var downloadAllowed: Bool { get }
    /// Everything that stands against downloads ahead of need now.
    var lastPolicyStatus: VOCPolicyStatus { get }
    /// Whether a configuration of the server's is here and switches the SDK on.
    func enabled() -> Bool

    // MARK: Segments

    /// Replaces the set of subscribed segments and syncs at once; empty for none. Survives a restart.
    ///
    /// What no subscribed segment holds any more is purged.
    func subscribeSegments(_ segments: Set<String>)
    /// The subscribed segments, not necessarily downloaded; `nil` before the SDK is configured.
    func subscribedSegments() -> Set<String>?

    // MARK: The cache

    /// Most bytes of content on the device. Shrinking evicts. Reading and setting perform disk I/O.
    var cacheSize: UInt64 { get set }
    /// Bytes of content on the device. Performs disk I/O.
    var cacheUsed: UInt64 { get }
    /// The smaller of the unused cache and the free disk, in bytes. Performs disk I/O.
    var cacheAvailable: UInt64 { get }
    /// Every file on the device, completed ones only. Performs disk I/O.
    func cachedFiles() -> Set<AkaCachedFile>
    /// The file for a URL. Performs disk I/O.
    func cachedFile(forURL url: String) -> AkaCachedFile?

    // MARK: Events and quality

    /// Records an instantaneous event.
    func logEvent(_ name: String)
    /// Starts a timed event; several may run at once.
    func startEvent(_ name: String)
    /// Ends the timed event of that name; nothing happens without one.
    func stopEvent(_ name: String)
    /// How good the network is; `nil` before the SDK is configured.
    func networkQuality() -> (any VocNetworkQuality)?

    // MARK: The delegate and notifications

    /// Tells a delegate (held weakly) of what happens, on a queue, in order: the main one unless given. `nil` and `nil` end it.
    func setDelegate(_ delegate: (any VocServiceDelegate)?, with queue: OperationQueue?)
    /// Takes a remote notification when it is for the SDK: when its payload has the key `mapsdk`.
    ///
    /// - Parameter completionHandler: called once when the SDK has done what the notification asks, within 25 seconds; not called
    ///   when the result is `false`. On the main queue where there is UIKit, on any thread elsewhere.
    /// - Returns: whether the notification was for the SDK.
    func didReceiveRemoteNotification(
        _ userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool

    // MARK: Registration

    /// Tells the server that the device is gone, forgets the registration and drops the content of its segments.
    /// - Parameter completion: called once with `nil`, or with what the server did not take; the device has forgotten all the same.
    func unregisterService(_ completion: (((any Error)?) -> Void)?)

    // MARK: Debugging

    /// Switches the lines of the debug console on or off, as `AkaCommon.debugConsoleEnabled` does.
    func setDebugConsoleLog(_ isEnabled: Bool)
    /// Prints the subscribed segments and each known URL with its state.
    func printCache()
    /// Prints the features that are on and when a configuration was last received.
    func printCurrentConfiguration()
    /// Sends what is recorded now and prints what came of it. For debugging: it costs extra uploads.
    func debugSendAnalytics()
    /// The log files, newest first; `nil` before the SDK is configured.
    var sortedLogFilePaths: [String]? { get }

    // MARK: Counters

    /// Seconds that answers from the device took, from the request to the body's end.
    func timeLoadingFromCache() -> TimeInterval
    /// Seconds that answers from the network took.
    func timeLoadingFromNetwork() -> TimeInterval
    /// Items that were downloaded ahead of need.
    func filesDownloaded() -> Int
    /// Their bytes.
    func bytesDownloaded() -> Int
    /// Requests that were answered from the device.
    func filesLoadedFromCache() -> Int
    /// The bytes of those answers.
    func bytesLoadedFromCache() -> Int
    /// Requests that the cache had no part in.
    func filesNotHandled() -> Int
    /// The URLs of the app's requests, without their queries; the newest ones when there are many.
    func filesRequested() -> [String]
    /// The network that the last request used: "wifi", "cellular" or "none"; `nil` before the SDK is configured.
    func statsConnectionType() -> String?
    /// Sets the counters to zero.
    func clearStats()
}
