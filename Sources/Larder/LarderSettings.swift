public import Prepositioning

/// What an app sets at run time; kept on the device across restarts.
public struct LarderSettings: Sendable, Hashable, Codable {
    /// The hosts whose requests the SDK takes.
    public enum HostFilter: Sendable, Hashable, Codable {
        case all
        /// These hosts alone, by exact name.
        case only(Set<String>)
        case except(Set<String>)
    }

    public var downloads = PolicyOverrides()
    /// Follow redirects; otherwise the 3xx is the app's answer, whatever its session says.
    public var followsRedirects = true
    /// Requests with these methods are left to the session's own loading.
    public var ignoredMethods: Set<String> = ["OPTIONS"]
    public var hosts = HostFilter.all
    /// Add the SDK's name and version to the `User-Agent` of the app's requests.
    public var addsUserAgent = false

    /// From the app's coming to the foreground to the look for new content.
    public var foregroundCheckDelay = Duration.seconds(3)

    /// The defaults.
    public init() {}
}
