#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The keys that a host's server certificates must have, as a release tells them to devices.
public struct PinRule: Sendable, Hashable, Codable {
    public var host: String
    public var includesSubdomains: Bool
    /// Base64 SHA-256 digests of SubjectPublicKeyInfo; one of them must be in the server's chain. At least two: the second is the
    /// backup for the day when the first key is lost.
    public var digests: [String]
    /// From then on the rule says nothing any more; `nil` for never.
    public var expiresAt: Date?
    /// Tell the server of a mismatch, and go on with the request.
    public var isReportOnly: Bool

    /// Creates a value.
    public init(
        host: String, includesSubdomains: Bool = false, digests: [String], expiresAt: Date? = nil,
        isReportOnly: Bool = false
    ) {
        self.host = host
        self.includesSubdomains = includesSubdomains
        self.digests = digests
        self.expiresAt = expiresAt
        self.isReportOnly = isReportOnly
    }
}
