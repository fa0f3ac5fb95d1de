public import Cryptography

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A signed-in administrator; the token is in the cookie or the `Authorization` field.
public struct AdminSession: Sendable, Hashable {
    public var tokenDigest: SHA256Digest
    public var administrator: String
    /// Protects the portal's forms against cross-site requests.
    public var formToken: String
    public var expiresAt: Date

    /// Creates a value.
    public init(tokenDigest: SHA256Digest, administrator: String, formToken: String, expiresAt: Date) {
        self.tokenDigest = tokenDigest
        self.administrator = administrator
        self.formToken = formToken
        self.expiresAt = expiresAt
    }
}
