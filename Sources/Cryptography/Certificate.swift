import COpenSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One X.509 certificate.
final class Certificate {
    private let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) { self.pointer = pointer }

    deinit { X509_free(pointer) }

    /// Parses DER; `nil` when the bytes are not a certificate.
    convenience init?(der: Data) {
        let parsed = der.withUnsafeBytes { bytes -> OpaquePointer? in
            var cursor = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509(nil, &cursor, bytes.count)
        }
        guard let parsed else { return nil }
        self.init(owning: parsed)
    }

    /// The certificates of a PEM file; none when it cannot be read. Performs disk I/O.
    static func all(inFile path: String) -> [Certificate] {
        guard let file = BIO_new_file(path, "r") else {
            ERR_clear_error()
            return []
        }
        defer { BIO_free(file) }
        var certificates: [Certificate] = []
        while let pointer = PEM_read_bio_X509(file, nil, nil, nil) {
            certificates.append(Certificate(owning: pointer))
        }
        // The end of the file counts as an error.
        ERR_clear_error()
        return certificates
    }

    /// Base64 of the SHA-256 digest of SubjectPublicKeyInfo (RFC 7469, section 2.4); `nil` without a readable key.
    var publicKeyDigest: String? {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(pointer), &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, nil, 0) }
        let digest = SHA256Digest.of(Data(bytes: encoded, count: Int(count)))
        return Data(hex: digest.hex)?.base64EncodedString()
    }

    /// Whether this is an authority's certificate (RFC 5280, section 4.2.1.9; self-signed ones of version 1 count) whose key has
    /// signed another one.
    func hasSigned(_ other: Certificate) -> Bool {
        guard X509_check_issued(pointer, other.pointer) == X509_V_OK, [1, 3].contains(X509_check_ca(pointer)),
            let key = X509_get0_pubkey(pointer)
        else { return false }
        defer { ERR_clear_error() }
        return X509_verify(other.pointer, key) == 1
    }
}
