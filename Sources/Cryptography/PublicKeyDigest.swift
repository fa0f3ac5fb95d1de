#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The digest by which a certificate's public key is pinned (RFC 7469, section 2.4).
public enum PublicKeyDigest {
    /// Base64 of the SHA-256 digest of a certificate's SubjectPublicKeyInfo.
    /// - Parameter certificate: one X.509 certificate as DER.
    /// - Returns: `nil` when the bytes are not a certificate.
    public static func base64(ofCertificate certificate: Data) -> String? {
        Certificate(der: certificate)?.publicKeyDigest
    }
}
