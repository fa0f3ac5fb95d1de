import CCurl

extension TransportError {
    /// The transport has been shut down.
    static var shutDown: TransportError { TransportError(.shutDown, "the transport has been shut down") }

    /// An error for one of libcurl's codes.
    /// - Parameters:
    ///   - explanation: libcurl's own words.
    ///   - hasHead: whether the response's head had arrived, after which a lost connection means a body cut short.
    init(_ code: CURLcode, host: String, explanation: String, hasHead: Bool) {
        self.init(Self.code(for: code, hasHead: hasHead), "\(host): \(explanation)")
    }

    private static func code(for code: CURLcode, hasHead: Bool) -> Code {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameNotResolved
        case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_QUIC_CONNECT_ERROR, CURLE_INTERFACE_FAILED: .connectionFailed
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_PEER_FAILED_VERIFICATION: .certificateRejected
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED:
            .tlsFailed
        case CURLE_PARTIAL_FILE: .bodyTruncated
        case CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3:
            hasHead ? .bodyTruncated : .connectionLost
        case CURLE_SEND_FAIL_REWIND: .connectionLost
        case CURLE_BAD_CONTENT_ENCODING: .contentDecodingFailed
        case CURLE_READ_ERROR, CURLE_ABORTED_BY_CALLBACK: .requestBodyFailed
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_TOO_LARGE: .malformedResponse
        default: .other
        }
    }
}
