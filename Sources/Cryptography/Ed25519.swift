import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// An Ed25519 public key (RFC 8032), 32 bytes: verifies what the control plane signed.
public struct Ed25519PublicKey: Sendable, Hashable {
    public let rawBytes: Data

    /// Creates a key; `nil` unless there are 32 bytes.
    public init?(rawBytes: Data) {
        guard rawBytes.count == 32 else { return nil }
        self.rawBytes = rawBytes
    }

    /// Whether a signature over a message is by this key. Malformed signatures are invalid, never an error.
    public func isValid(signature: Data, for message: Data) -> Bool {
        let key = rawBytes.withUnsafeBytes { bytes in
            EVP_PKEY_new_raw_public_key(
                EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard let key, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        guard EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        return signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(
                    context, signature.bindMemory(to: UInt8.self).baseAddress, signature.count,
                    message.bindMemory(to: UInt8.self).baseAddress, message.count) == 1
            }
        }
    }
}

/// An Ed25519 private key (RFC 8032): its 32-byte seed.
public struct Ed25519PrivateKey: Sendable {
    /// The secret seed; store it where only the server reads.
    public let seed: Data
    public let publicKey: Ed25519PublicKey

    /// Creates a key from a seed; `nil` unless there are 32 bytes.
    public init?(seed: Data) {
        guard seed.count == 32 else { return nil }
        let key = seed.withUnsafeBytes { bytes in
            EVP_PKEY_new_raw_private_key(
                EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard let key else { return nil }
        defer { EVP_PKEY_free(key) }
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1,
            let publicKey = Ed25519PublicKey(rawBytes: Data(bytes))
        else { return nil }
        self.seed = seed
        self.publicKey = publicKey
    }

    /// Signs a message; 64 bytes. `nil` only when the library fails.
    public func signature(for message: Data) -> Data? {
        let key = seed.withUnsafeBytes { bytes in
            EVP_PKEY_new_raw_private_key(
                EVP_PKEY_ED25519, nil, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        }
        guard let key, let context = EVP_MD_CTX_new() else { return nil }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
        }
        guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: 64)
        var count = signature.count
        let status = message.withUnsafeBytes { message in
            EVP_DigestSign(context, &signature, &count, message.bindMemory(to: UInt8.self).baseAddress, message.count)
        }
        return status == 1 ? Data(signature) : nil
    }
}
