public import HTTPModel

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

/// A server's chain, and the request that waits for the verdict over it.
public struct TrustQuestion: Sendable {
    /// What was asked for first.
    public var originalRequest: HTTPRequest
    /// What is to be sent to this server, after redirects.
    public var currentRequest: HTTPRequest
    public var trust: ServerTrust

    /// Creates a value.
    public init(originalRequest: HTTPRequest, currentRequest: HTTPRequest, trust: ServerTrust) {
        self.originalRequest = originalRequest
        self.currentRequest = currentRequest
        self.trust = trust
    }
}

/// How servers are trusted.
public struct TrustPolicy: Sendable {
    /// A verdict over a chain; those of a `URLSession` delegate by other names.
    public enum Verdict: Sendable {
        /// The system's judgement stands (`performDefaultHandling`).
        case useSystem
        /// Trusted, whatever the system says (`useCredential`).
        case accept
        /// Not trusted: requests fail with ``TransportError/Code/certificateRejected`` (`rejectProtectionSpace`).
        case reject
        /// The requests that wait fail with ``TransportError/Code/cancelled``; the next one asks again
        /// (`cancelAuthenticationChallenge`).
        case cancel
    }

    /// Judges a server's chain; may take its time.
    public typealias Evaluator = @Sendable (TrustQuestion) async -> Verdict

    /// A PEM bundle to trust besides the system's; `nil` for the system's alone.
    public var authorityFile: String?
    /// Base64 SHA-256 digests of SubjectPublicKeyInfo by host ("example.com"); one of them must be that of the server's
    /// own (leaf) certificate.
    public var pins: [String: [String]] = [:]
    /// Asked once for each host and chain, without stalling other hosts; see ``CurlTransport/setTrustEvaluator(_:)``.
    public var evaluator: Evaluator?

    /// The system store alone.
    public init() {}
}
