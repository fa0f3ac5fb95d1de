#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The certificate chain of a server, leaf first, as DER; asked for a verdict before the request is sent.
public struct ServerTrust: Sendable, Hashable {
    public var host: String
    public var port: Int
    /// DER certificates, leaf first.
    public var certificates: [Data]
    /// What the system store said: `nil` when it trusts the chain, else the reason.
    public var systemFailure: String?

    /// Creates a value.
    public init(host: String, port: Int, certificates: [Data], systemFailure: String?) {
        self.host = host
        self.port = port
        self.certificates = certificates
        self.systemFailure = systemFailure
    }
}

/// How servers are trusted.
public struct TrustPolicy: Sendable {
    /// A verdict over a chain.
    public enum Verdict: Sendable { case useSystem, accept, reject }
    /// A PEM bundle to trust besides the system's; `nil` for the system's alone.
    public var authorityFile: String?
    /// Base64 SHA-256 digests of SubjectPublicKeyInfo by host ("example.com"); one of them must be that of the server's
    /// own (leaf) certificate.
    public var pins: [String: [String]] = [:]
    /// Asked once for each host and chain; may take its time without stalling other hosts.
    ///
    /// What it accepts is pinned by the leaf's key; against the system's judgement HTTP/3 is not used, because libcurl looks
    /// at pins over QUIC only when it verifies as well. Waiting for the verdict counts towards no timeout.
    public var hook: (@Sendable (ServerTrust) async -> Verdict)?

    /// The system store alone.
    public init() {}
}
