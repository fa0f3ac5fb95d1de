/// Where mPulse is, and what it is told beside the app's timed events.
public struct MPulseConfiguration: Sendable, Hashable {
    /// Where mPulse gives its configuration, unless told.
    public static let defaultConfigURL = "https://c.go-mpulse.net/api/v2/config.json"

    /// The key of the app at mPulse.
    public var apiKey: String
    /// Signs the question for the configuration, where the app at mPulse asks for it; never sent.
    public var secretKey: String?
    /// Gives the address for beacons, and which timers and metrics are defined (mPulse Beacon API, version 2).
    public var configURL = MPulseConfiguration.defaultConfigURL
    /// Takes beacons, of a collector that has no configuration to give: then ``configURL`` is not asked, and every timer and metric
    /// goes by its own name.
    public var beaconURL: String?
    /// Metrics by name, each with the prefixes of the URLs whose requests count for it.
    ///
    /// A request counts once for every metric that has a prefix of its URL. Scheme and host are compared without regard to case;
    /// queries take no part.
    public var customMetrics: [String: [String]] = [:]
    /// Send a beacon for each request that got an answer. URLs go without their query.
    public var reportsRequests = false

    /// Creates a configuration.
    public init(apiKey: String) { self.apiKey = apiKey }
}
