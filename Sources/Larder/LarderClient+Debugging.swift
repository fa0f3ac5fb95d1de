/// What people look at when something is not as they expect.
extension LarderClient {
    /// Whether every exchange is told to the log as one line. Not for production.
    public var isDebugging: Bool {
        get { false }
        set { _ = newValue }
    }

    /// The subscribed segments, then every URL with its state, as lines for people.
    public func contentListing() -> [String] { [] }

    /// The features of the last release and the settings in force, as lines for people.
    public func configurationListing() -> [String] { [] }

    /// The log files on the device, newest first.
    public var logFilePaths: [String] { [] }
}
