public import Beacons
public import Conditions
import Foundation
public import HTTPCaching
public import Transport
public import Wire

/// What an app tells the SDK.
public struct LarderConfiguration: Sendable {
    /// The control plane's base URL; `nil` uses the cache alone, without segments.
    public var serverURL: String?
    public var apiKey: String?
    public var bundleID: String
    /// Joined the first time this API key is seen on the device.
    public var initialSegments: Set<String> = []
    /// The SDK's directory; the XDG cache directory of the bundle id unless told.
    public var directory: String?
    public var pinnedByteCountMax: Int64 = 512 << 20
    public var opportunisticByteCountMax: Int64 = 128 << 20
    public var trust = TrustPolicy()
    /// Keys to trust for releases and manifests instead of those the server names at registration.
    public var signingKeys: [SigningKey] = []
    public var caching = CachingPolicy()
    /// Time between uploads of telemetry.
    public var telemetryInterval = Duration.seconds(60)
    /// What mPulse is told of timed events and requests; nothing unless given.
    public var mPulse: MPulseConfiguration?
    /// Who knows the device's network and power; the system unless told.
    public var conditions: (any ConditionsSource)?
    /// One line for each thing that went wrong, without secrets; prints to standard error unless told. Must not block. The same
    /// lines go to the files in ``logDirectory``.
    public var log: (@Sendable (String) -> Void)?

    /// Creates a configuration with the default limits.
    public init(serverURL: String? = nil, apiKey: String? = nil, bundleID: String = "app") {
        self.serverURL = serverURL
        self.apiKey = apiKey
        self.bundleID = bundleID
    }

    /// Where the SDK keeps its files: ``directory``, or `larder` in the app's cache directory.
    public var resolvedDirectory: String { resolvedDirectory(environment: ProcessInfo.processInfo.environment) }

    /// Where the content store is.
    public var storeDirectory: String { resolvedDirectory + "/store" }

    /// Where the log files are: `Logs` in ``directory``, or in the app's cache directory.
    public var logDirectory: String {
        #if canImport(Darwin)
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?.path
            if directory == nil, let caches { return caches + "/Logs" }
        #endif
        return logDirectory(environment: ProcessInfo.processInfo.environment)
    }

    func logDirectory(environment: [String: String]) -> String {
        (directory ?? cacheDirectory(environment: environment)) + "/Logs"
    }

    func resolvedDirectory(environment: [String: String]) -> String {
        directory ?? cacheDirectory(environment: environment) + "/larder"
    }

    /// The app's cache directory by the XDG rules: `$XDG_CACHE_HOME`, which counts only when absolute, else `~/.cache`.
    private func cacheDirectory(environment: [String: String]) -> String {
        let named = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let caches = named ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.cache"
        // A bundle id is one directory name, whatever it holds.
        let name = bundleID.replacing("/", with: "_")
        return caches + "/" + (["", ".", ".."].contains(name) ? "app" : name)
    }
}
