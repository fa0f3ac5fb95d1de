#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The certificates that a server shows, and whose keys vouch for it.
///
/// What a server shows need not belong together: a certificate counts only when its key has signed its way down to the
/// server's own.
public struct CertificateChain {
    /// Most certificates that are looked at.
    private static let countMax = 16

    private let certificates: [Certificate]

    /// Parses certificates as DER, leaf first; `nil` when the first is none. Others that are none are left out.
    public init?(_ certificates: [Data]) {
        guard let first = certificates.first, let leaf = Certificate(der: first) else { return nil }
        let others = certificates.dropFirst().prefix(Self.countMax - 1)
        self.certificates = [leaf] + others.compactMap(Certificate.init(der:))
    }

    /// The digests of the public keys of everything shown, leaf first, in the form of ``PublicKeyDigest``.
    public var shownDigests: [String] { certificates.compactMap(\.publicKeyDigest) }

    /// The digests of the public keys that vouch for the server: its own, and those that have signed their way down to it.
    /// - Parameter authorityFile: a PEM file of authorities that count although the server does not show them; reading it
    ///   performs disk I/O and costs some milliseconds.
    public func vouchingDigests(authorityFile: String? = nil) -> [String] {
        guard let leaf = certificates.first else { return [] }
        var candidates = Array(certificates.dropFirst()) + (authorityFile.map(Certificate.all(inFile:)) ?? [])
        var vouching = [leaf]
        var unexplored = [leaf]
        while let subject = unexplored.popLast() {
            let signers = candidates.filter { $0.hasSigned(subject) }
            candidates.removeAll { candidate in signers.contains { $0 === candidate } }
            vouching += signers
            unexplored += signers
        }
        return vouching.compactMap(\.publicKeyDigest)
    }
}
