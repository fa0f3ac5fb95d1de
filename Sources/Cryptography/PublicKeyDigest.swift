import COpenSSL

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
        let parsed = certificate.withUnsafeBytes { bytes -> OpaquePointer? in
            var cursor = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509(nil, &cursor, bytes.count)
        }
        guard let parsed else { return nil }
        defer { X509_free(parsed) }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(parsed), &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        let digest = SHA256Digest.of(Data(bytes: encoded, count: Int(count)))
        return Data(hex: digest.hex)?.base64EncodedString()
    }
}
