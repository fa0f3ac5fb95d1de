public import Acceleration
public import Prepositioning

/// What an app sets at run time; kept on the device across restarts.
public struct LarderSettings: Sendable, Hashable, Codable {
    public typealias HostFilter = RequestRules.HostFilter

    public var downloads = PolicyOverrides()
    /// Follow redirects; otherwise the 3xx is the app's answer, whatever its session says.
    public var followsRedirects = true
    /// Requests with these methods, in any case, are left to the session's own loading; the SDK's own calls send them past the
    /// cache.
    public var ignoredMethods: Set<String> = ["OPTIONS"]
    /// Requests to other hosts are treated like those with ignored methods.
    public var hosts = HostFilter.all
    /// Add the SDK's name and version to the `User-Agent` of the app's requests.
    public var addsUserAgent = false

    /// The defaults.
    public init() {}
}
