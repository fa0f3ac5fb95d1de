import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What every transfer of a transport has in common.
struct CurlSettings: Sendable {
    var userAgent: String
    /// The hosts that are never reached through a proxy; the proxies themselves libcurl reads from the environment.
    var noProxy: String
    /// The PEM bundle to verify servers with, or why there is none.
    var authorities: Result<AuthorityBundle, TransportError>
    /// Pins by host name in lower case, in libcurl's form.
    var pins: [String: [String]]

    /// The path of that bundle.
    var authorityFile: String? {
        if case .success(let bundle) = authorities { bundle.path } else { nil }
    }

    init(_ configuration: CurlTransport.Configuration, environment: [String: String]) {
        userAgent = configuration.userAgent
        let named = environment["no_proxy"] ?? environment["NO_PROXY"]
        noProxy = (["localhost", "127.0.0.1", "::1"] + (named.map { [$0] } ?? [])).joined(separator: ",")
        pins = Dictionary(
            configuration.trust.pins.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: +)
        authorities = Result { () throws(TransportError) in
            try AuthorityBundle(authorityFile: configuration.trust.authorityFile, environment: environment)
        }
    }
}

/// How one transfer verifies its server.
struct TLSOptions: Sendable, Hashable {
    /// Whether the system's and the configured authorities must vouch for the server.
    var verifiesChain = true
    /// Base64 digests of public keys, one of which the server's leaf must have; empty for no demand.
    var pins: [String] = []
    /// Whether the pins are those of chains that were looked at: another key is to be looked at as well.
    var isJudged = false
    /// Whether the chain is to be shown to the keeper afterwards.
    var showsChain = false
    /// Whether libcurl may not move the request to TLS by itself (HSTS), because there the server is to be judged first.
    var stopsAtUpgrade = false
}

/// libcurl has moved a request to TLS, where its server is to be judged first; nothing of it has gone out.
struct UpgradedToTLS: Error {
    var url: HTTPURL
}
