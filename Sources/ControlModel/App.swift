public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One application of a customer.
public struct App: Sendable, Hashable, Codable {
    /// Such as "app_k3j…"; public.
    public var id: String
    public var name: String
    public var bundleID: String
    public var createdAt: Date
    public var policy: DownloadPolicy

    /// Creates a value.
    public init(id: String, name: String, bundleID: String, createdAt: Date, policy: DownloadPolicy) {
        self.id = id
        self.name = name
        self.bundleID = bundleID
        self.createdAt = createdAt
        self.policy = policy
    }
}
