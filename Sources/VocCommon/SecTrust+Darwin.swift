#if canImport(Security)
    import Foundation
    import Larder
    import Security

    extension SecTrust {
        /// The chain in the system's own terms; `nil` when it does not read as certificates.
        static func make(_ server: ServerTrust) -> SecTrust? {
            let certificates = server.certificates.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            var trust: SecTrust?
            let policy = SecPolicyCreateSSL(true, server.host as CFString)
            guard !certificates.isEmpty,
                SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust) == errSecSuccess
            else { return nil }
            return trust
        }
    }

    extension URLCredential {
        /// The system's credentials do not tell their chain: the app has said which disposition it wants.
        func accepts(_ trust: SecTrust?) -> Bool { user == nil }
    }
#endif
