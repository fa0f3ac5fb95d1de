public import Cryptography

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A named set of URLs as the operator edits it; publishing freezes it into a manifest.
public struct Segment: Sendable, Hashable, Codable {
    public var appID: String
    public var name: String
    public var note: String
    public var createdAt: Date
    /// Rises when a publication finds the items changed.
    public var publishedVersion: Int
    public var publishedManifest: SHA256Digest?

    /// Creates a value.
    public init(
        appID: String, name: String, note: String, createdAt: Date, publishedVersion: Int = 0,
        publishedManifest: SHA256Digest? = nil
    ) {
        self.appID = appID
        self.name = name
        self.note = note
        self.createdAt = createdAt
        self.publishedVersion = publishedVersion
        self.publishedManifest = publishedManifest
    }
}
