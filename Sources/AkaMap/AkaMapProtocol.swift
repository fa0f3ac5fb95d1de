public import Foundation

/// A service of the SDK, as delegates are told of it.
public protocol VocService: AnyObject, Sendable {
    /// Where the service stands.
    var state: VOCServiceState { get }
}

/// Where the service stands.
public enum VOCServiceState: Int, Sendable {
    case notRegistered = 0
    /// Registered, without a configuration yet.
    case initializing = 1
    case idle = 2
    case downloading = 3
}

/// The calls of the retired SDK's shared instance. Every one is safe from any thread, and does nothing before
/// `AkaCommon.configure()`.
public protocol AkaMapProtocol: VocService {
    /// Replaces the set of subscribed segments and syncs at once; empty for none. Survives a restart.
    ///
    /// What no subscribed segment holds any more is purged.
    func subscribeSegments(_ segments: Set<String>)
    /// The subscribed segments, not necessarily downloaded; `nil` before the SDK is configured.
    func subscribedSegments() -> Set<String>?

    /// Most bytes of content on the device. Shrinking evicts. Reading and setting perform disk I/O.
    var cacheSize: UInt64 { get set }
    /// Bytes of content on the device. Performs disk I/O.
    var cacheUsed: UInt64 { get }
    /// The smaller of the unused cache and the free disk, in bytes. Performs disk I/O.
    var cacheAvailable: UInt64 { get }

    /// Whether a configuration of the server's is here and switches the SDK on.
    func enabled() -> Bool

    /// Records an instantaneous event.
    func logEvent(_ name: String)
    /// Starts a timed event; several may run at once.
    func startEvent(_ name: String)
    /// Ends the timed event of that name; nothing happens without one.
    func stopEvent(_ name: String)

    /// Tells a delegate (held weakly) of what happens, on a queue: the main one unless given. `nil` and `nil` end it.
    func setDelegate(_ delegate: (any VocServiceDelegate)?, with queue: OperationQueue?)

    /// Every file on the device, completed ones only. Performs disk I/O.
    func cachedFiles() -> Set<AkaCachedFile>
    /// The file for a URL. Performs disk I/O.
    func cachedFile(forURL url: String) -> AkaCachedFile?

    /// Switches the lines of the debug console on or off, as `AkaCommon.debugConsoleEnabled` does.
    func setDebugConsoleLog(_ isEnabled: Bool)
    /// Prints the subscribed segments and each of their URLs with its state.
    func printCache()
    /// Prints what is known of the server's configuration.
    func printCurrentConfiguration()
    /// Sends what is recorded now and prints how much it was. For debugging: it costs extra uploads.
    func debugSendAnalytics()
}
