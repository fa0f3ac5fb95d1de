import CCurl
import HTTPModel
import Primitives

/// A connection made only to see who answers: the certificate chain and what the system store says about it.
final class CurlHandshake: LoopTransfer {
    let result = Promise<Result<ServerTrust, any Error>>()
    private let url: HTTPURL
    private let connectTimeout: Duration
    private let settings: CurlSettings
    private let giveUpAt: Duration

    init(_ url: HTTPURL, connectTimeout: Duration, settings: CurlSettings, timekeeper: any Timekeeping) {
        self.url = url
        self.connectTimeout = connectTimeout
        self.settings = settings
        giveUpAt = timekeeper.uptime + connectTimeout
    }

    var advertisement: String? { nil }

    func configure(_ handle: EasyHandle) throws(TransportError) {
        try handle.setConnection(to: url, connectTimeout: connectTimeout, settings)
        try handle.setTLS(TLSOptions(), settings)
        // Ends the transfer where the request would go out.
        try handle.set(prerequest: { _, _, _, _, _ in CURL_PREREQFUNC_ABORT })
        try handle.set(CURLOPT_CERTINFO, true)
        try handle.set(CURLOPT_FRESH_CONNECT, true)
        try handle.set(CURLOPT_FORBID_REUSE, true)
        // A resumed session shows no certificates.
        try handle.set(CURLOPT_SSL_SESSIONID_CACHE, false)
        try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    }

    func deadline() -> TransferDeadline {
        let error = TransportError(.timedOut, "\(url.host): no connection in \(connectTimeout)")
        return TransferDeadline(due: giveUpAt, lookAt: giveUpAt, error: error)
    }

    func end(_ handle: EasyHandle?, _ ending: TransferEnding) {
        switch ending {
        case .failed(let error): result.fulfil(.failure(error))
        case .completed(let code):
            let certificates = handle?.certificates() ?? []
            let explanation = handle?.explanation(of: code) ?? ""
            let isTrusted = code == CURLE_ABORTED_BY_CALLBACK
            guard isTrusted || code == CURLE_PEER_FAILED_VERIFICATION, !certificates.isEmpty else {
                let failure = isTrusted ? CURLE_SSL_CONNECT_ERROR : code
                return result.fulfil(
                    .failure(TransportError(failure, host: url.host, explanation: explanation, hasHead: false)))
            }
            let trust = ServerTrust(
                host: url.host, port: url.port, certificates: certificates,
                systemFailure: isTrusted ? nil : explanation)
            result.fulfil(.success(trust))
        }
    }
}

extension HTTPURL {
    /// The port, also when it is the scheme's own.
    var port: Int {
        let authority = authority
        guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]"),
            let port = Int(authority[authority.index(after: colon)...])
        else { return isSecure ? 443 : 80 }
        return port
    }
}
