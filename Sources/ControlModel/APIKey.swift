#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A key with which an app's devices register.
public struct APIKey: Sendable, Hashable, Codable {
    /// The key itself: it is in every copy of the app, so it is shown again in the portal.
    public var key: String
    public var appID: String
    public var name: String
    public var createdAt: Date
    /// Devices with a revoked key are turned away.
    public var revokedAt: Date?

    /// Creates a value.
    public init(key: String, appID: String, name: String, createdAt: Date, revokedAt: Date? = nil) {
        self.key = key
        self.appID = appID
        self.name = name
        self.createdAt = createdAt
        self.revokedAt = revokedAt
    }
}
