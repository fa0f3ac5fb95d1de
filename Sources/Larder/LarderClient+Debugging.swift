import Prepositioning

/// What people look at when something is not as they expect.
extension LarderClient {
    /// Whether every exchange is told to the log as one line. Not for production.
    public var isDebugging: Bool {
        get { services.log.isDebugging }
        set { services.log.isDebugging = newValue }
    }

    /// The subscribed segments, then every URL with its state, as lines for people. Performs disk I/O.
    public func contentListing() -> [String] {
        ContentListing(status: status, content: cachedContent()).lines.map(services.log.clean)
    }

    /// The last release and when it came, its features and policy, what the app has set otherwise, and what stands against
    /// downloads now, as lines for people.
    public func configurationListing() -> [String] {
        let release = services.prepositioner?.release
        let listing = ConfigurationListing(
            configuration: services.configuration, serverURL: services.serverURL?.string, status: status,
            release: release, receivedAt: services.receipts.date(of: release?.version), settings: settings,
            blockers: policyBlockers, usage: dataUsage, conditions: conditions)
        return listing.lines.map(services.log.clean)
    }

    /// The log files on the device, newest first, with every line in them that was told before. Performs disk I/O.
    ///
    /// Lines have the time in UTC and no secrets. A file holds a megabyte at most; the oldest go when there are more than 14, or
    /// 8 MB together.
    public var logFilePaths: [String] { services.log.files.paths() }
}
