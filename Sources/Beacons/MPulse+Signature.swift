import Cryptography

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension MPulse {
    /// What shows that a question comes from somebody who knows the secret.
    static func signature(of message: String, _ secret: String) -> String {
        MessageAuthentication.hmacSHA256(of: Data(message.utf8), key: Data(secret.utf8)).hex
    }
}
