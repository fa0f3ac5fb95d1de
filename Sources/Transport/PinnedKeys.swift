#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The keys of which a host's certificate chain must have one, for as long as the rule holds.
public struct PinnedKeys: Sendable, Hashable {
    /// A host name, in any case.
    public var host: String
    /// Whether the rule is for every name below as well, where no rule of its own holds.
    public var includesSubdomains: Bool
    /// Base64 SHA-256 digests of SubjectPublicKeyInfo. A rule without any that can be read says nothing.
    public var digests: [String]
    /// From then on the rule says nothing; `nil` for never.
    public var expiresAt: Date?
    /// Tell of a mismatch, and go on with the request.
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

/// A chain without any of the keys that a rule which only reports has for its host.
public struct PinMismatch: Sendable, Hashable {
    public var host: String
    /// The digests of the public keys that the server showed, leaf first.
    public var shownDigests: [String]
}
