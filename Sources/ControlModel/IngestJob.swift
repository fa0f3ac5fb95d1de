#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One run of an ingest.
public struct IngestJob: Sendable, Hashable, Codable {
    /// Where a job stands.
    public enum State: String, Sendable, Hashable, Codable { case running, succeeded, failed }
    public var id: String
    public var appID: String
    public var segment: String
    public var source: IngestSource
    /// Replace the segment's items by those found, instead of adding.
    public var replacesItems: Bool
    public var state: State
    public var itemsTotal: Int
    public var itemsDone: Int
    public var itemsFailed: Int
    public var startedAt: Date
    public var endedAt: Date?
    public var failure: String?

    /// Creates a running job.
    public init(id: String, appID: String, segment: String, source: IngestSource, replacesItems: Bool, startedAt: Date)
    {
        self.id = id
        self.appID = appID
        self.segment = segment
        self.source = source
        self.replacesItems = replacesItems
        self.state = .running
        self.itemsTotal = 0
        self.itemsDone = 0
        self.itemsFailed = 0
        self.startedAt = startedAt
    }
}
