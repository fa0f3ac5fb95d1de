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
    /// From the app's coming to the foreground to a look for new content.
    public var foregroundCheckDelay = Duration.seconds(3)
    /// Takes the place of the configuration's server address, from the next start on; `nil` for none.
    public var serverURL: String?

    /// The defaults.
    public init() {}

    /// Decodes settings; what those of an older version lack has its default.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let read = try values.decodeIfPresent(Value.self, forKey: key) { value = read }
        }
        try read(.downloads, into: &downloads)
        try read(.followsRedirects, into: &followsRedirects)
        try read(.ignoredMethods, into: &ignoredMethods)
        try read(.hosts, into: &hosts)
        try read(.addsUserAgent, into: &addsUserAgent)
        try read(.foregroundCheckDelay, into: &foregroundCheckDelay)
        serverURL = try values.decodeIfPresent(String.self, forKey: .serverURL)
    }
}
