#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One thing to tell mPulse.
struct Beacon: Sendable, Hashable {
    /// What it tells of.
    enum Content: Sendable, Hashable {
        /// A timed event of the app.
        case timer(name: String, milliseconds: Int64)
        /// A request whose URL counts for a metric.
        case metric(name: String, value: Int)
        case request(Request)
    }

    /// A request that got an answer.
    struct Request: Sendable, Hashable {
        /// Without query.
        var url: String
        var method: String
        var status: Int
        /// Until the head, and until the body's end.
        var firstByteMilliseconds: Int64
        var totalMilliseconds: Int64
    }

    var content: Content
    /// When it happened.
    var date: Date
    /// The page group as it happened.
    var pageGroup: String?
    /// Sendings that came to nothing.
    var failedAttempts = 0

    init(_ content: Content, date: Date, pageGroup: String?) {
        self.content = content
        self.date = date
        self.pageGroup = pageGroup
    }
}

/// The session that beacons belong to: from one start of the app to the next.
struct BeaconSession: Sendable, Hashable {
    var id: String
    var start: Date
    /// How many page groups have been set in it.
    var length = 0
    /// Names this run of the app among the beacons of requests.
    var pageID: String
    /// The SDK's version.
    var version: String
    /// What stands for the site where the configuration names none.
    var domain: String
    /// Beacons made so far.
    var beaconCount = 0
}
