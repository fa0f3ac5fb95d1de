// Apple's Security framework has these names; elsewhere this is the smallest set that apps need to look at a chain.
#if !canImport(Security)
    public import Foundation
    public import FoundationNetworking
    import Larder

    /// A server's certificate chain, and what the system says of it.
    public final class SecTrust: Hashable, Sendable {
        let server: ServerTrust
        /// The chain, leaf first.
        public var certificates: [SecCertificate] { server.certificates.map { SecCertificate(data: $0) } }
        /// The host that was asked for.
        public var host: String { server.host }
        /// Why the system does not trust the chain; `nil` when it does.
        public var systemFailure: String? { server.systemFailure }

        init(_ server: ServerTrust) { self.server = server }

        public static func == (left: SecTrust, right: SecTrust) -> Bool { left.server == right.server }
        public func hash(into hasher: inout Hasher) { hasher.combine(server) }
    }

    /// One certificate.
    public struct SecCertificate: Hashable, Sendable {
        /// DER.
        public let data: Data
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The number of certificates of a chain.
    public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int { trust.server.certificates.count }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// A certificate of a chain, the leaf at 0; `nil` beyond its end.
    public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: Int) -> SecCertificate? {
        trust.certificates.indices.contains(index) ? trust.certificates[index] : nil
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The chain, leaf first.
    public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [SecCertificate]? { trust.certificates }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The bytes of a certificate, as DER.
    public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { certificate.data }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Whether the system trusts a chain for its host; when not, the error says why.
    public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<NSError?>?) -> Bool {
        guard let failure = trust.systemFailure else { return true }
        error?.pointee = NSError(
            domain: NSURLErrorDomain, code: URLError.Code.serverCertificateUntrusted.rawValue,
            userInfo: [NSLocalizedDescriptionKey: failure])
        return false
    }

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The authentication method of challenges over a server's certificate.
    public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

    /// The protection space of a challenge over a server's certificate.
    final class TrustProtectionSpace: URLProtectionSpace, @unchecked Sendable {  // nothing of it changes
        let trust: SecTrust

        init(_ trust: SecTrust) {
            self.trust = trust
            super.init(
                host: trust.server.host, port: trust.server.port, protocol: "https", realm: nil,
                authenticationMethod: NSURLAuthenticationMethodServerTrust)
        }
    }

    extension URLProtectionSpace {
        /// The chain that a challenge is over; `nil` in challenges over something else.
        public var serverTrust: SecTrust? { (self as? TrustProtectionSpace)?.trust }
    }

    extension URLCredential {
        /// The name under which a credential says that it accepts a chain; Foundation's class has no place for one.
        private static let acceptance = NSURLAuthenticationMethodServerTrust

        /// A credential that accepts a server's chain, and no other chain.
        public convenience init(trust: SecTrust) {
            self.init(user: Self.acceptance, password: Self.chain(trust), persistence: .none)
        }

        /// Whether the credential was made to accept this chain.
        func accepts(_ trust: SecTrust) -> Bool { user == Self.acceptance && password == Self.chain(trust) }

        private static func chain(_ trust: SecTrust) -> String {
            ([Data("\(trust.server.host):\(trust.server.port)".utf8)] + trust.server.certificates)
                .map { $0.base64EncodedString() }.joined(separator: " ")
        }
    }
#endif
