public import Cryptography

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One URL of a segment, with what ingest found.
public struct SegmentItem: Sendable, Hashable, Codable {
    /// Where an item stands.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// Waiting to be fetched.
        case pending
        /// Fetched and good.
        case ready
        /// Fetched; published, but someone should look.
        case warning
        /// Not published.
        case failed
    }

    public var appID: String
    public var segment: String
    public var url: String
    public var state: State
    public var byteCount: Int64
    public var sha256: SHA256Digest?
    public var eTag: String?
    public var lastModified: String?
    public var contentType: String?
    public var contentEncoding: String?
    public var priority: Int
    public var isEssential: Bool
    /// Sentences: what was found and what to do.
    public var findings: [String]
    public var checkedAt: Date?

    /// Creates a value that waits to be fetched.
    public init(appID: String, segment: String, url: String, priority: Int = 0, isEssential: Bool = true) {
        self.appID = appID
        self.segment = segment
        self.url = url
        self.state = .pending
        self.byteCount = 0
        self.priority = priority
        self.isEssential = isEssential
        self.findings = []
    }
}
