import COpenSSL

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Shows that whoever wrote a message knows a secret.
public enum MessageAuthentication {
    /// HMAC with SHA-256 (RFC 2104): 32 bytes.
    public static func hmacSHA256(of message: Data, key: Data) -> Data {
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let made = EVP_Q_mac(
            nil, "HMAC", nil, "SHA256", nil, Array(key), key.count, Array(message), message.count, &code, code.count,
            &count)
        precondition(made != nil && count == code.count, "HMAC with SHA-256 fails only when memory is exhausted")
        return Data(code)
    }
}
