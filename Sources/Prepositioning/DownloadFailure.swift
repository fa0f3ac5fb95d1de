/// Why an item, or a document of the server, did not come.
struct DownloadFailure: Error, Sendable, Hashable {
    /// One sentence for people; the URL stands beside it.
    var reason: String
    /// Whether another try in a moment may help.
    var isTransient: Bool
    /// What the server asked for by `Retry-After`.
    var retryAfter: Duration?
    /// No connection came about.
    var isUnreachable: Bool

    init(_ reason: String, isTransient: Bool, retryAfter: Duration? = nil, isUnreachable: Bool = false) {
        self.reason = reason
        self.isTransient = isTransient
        self.retryAfter = retryAfter
        self.isUnreachable = isUnreachable
    }
}
