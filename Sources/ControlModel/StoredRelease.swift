public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A release as the server keeps it.
public struct StoredRelease: Sendable, Hashable, Codable {
    public var release: Release
    /// The signed document's bytes, as devices get them.
    public var document: Data
    public var publishedBy: String

    /// Creates a value.
    public init(release: Release, document: Data, publishedBy: String) {
        self.release = release
        self.document = document
        self.publishedBy = publishedBy
    }
}
