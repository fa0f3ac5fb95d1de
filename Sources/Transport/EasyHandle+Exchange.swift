import CCurl
import HTTPModel
import Primitives

// How a request becomes options of libcurl. Each option that decides what goes over the wire is checked; the ones that only
// tune may be unknown to an older library.

extension EasyHandle {
    /// Sets the handle up for an exchange.
    func setUp(for exchange: CurlExchange) throws(TransportError) {
        let request = exchange.request
        try setConnection(to: request.request.url, connectTimeout: request.connectTimeout, exchange.settings)
        try setTLS(exchange.tls, exchange.settings)
        try setVersion(request.version, isSecure: request.request.url.isSecure, exchange.tls)
        try setMethodAndBody(exchange)
        try setHead(exchange)
        try setCallbacks(exchange)
        if let speed = request.receiveBytesPerSecondMax {
            try set(CURLOPT_MAX_RECV_SPEED_LARGE, offset: max(1, speed))
        }
    }

    /// The options that any connection wants.
    func setConnection(
        to url: HTTPURL, connectTimeout: Duration, _ settings: CurlSettings
    ) throws(TransportError) {
        try setErrorBuffer()
        try set(CURLOPT_URL, url.string)
        try set(CURLOPT_PATH_AS_IS, true)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_NOSIGNAL, true)
        // Without it, cancelling during name resolution would block the loop until the resolver gives up.
        setIfKnown(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_NOPROXY, settings.noProxy)
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        // The loop's own deadline is the one that counts. This one, by which libcurl shares the time among the addresses of a
        // name, must never come first: libcurl 8.14 keeps a timer of a transfer that timed out while it waited for a free
        // connection, and uses it after the handle is freed.
        let limit = connectTimeout + max(.seconds(1), connectTimeout / 2)
        let (seconds, attoseconds) = limit.components
        let milliseconds = min(seconds, 86_400) * 1_000 + attoseconds / 1_000_000_000_000_000
        try set(CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, milliseconds)))
    }

    /// How the server is verified.
    func setTLS(_ tls: TLSOptions, _ settings: CurlSettings) throws(TransportError) {
        // Debian's default directory would be read for every connection, on the loop thread.
        try set(CURLOPT_CAPATH, nil)
        try set(CURLOPT_SSL_VERIFYPEER, tls.verifiesChain)
        try set(CURLOPT_SSL_VERIFYHOST, tls.verifiesChain ? 2 : 0)
        if tls.verifiesChain, case .success(let bundle) = settings.authorities { try set(CURLOPT_CAINFO, bundle.path) }
        if tls.showsChain { try set(CURLOPT_CERTINFO, true) }
        if !tls.pins.isEmpty {
            try set(CURLOPT_PINNEDPUBLICKEY, tls.pins.map { "sha256//\($0)" }.joined(separator: ";"))
        }
    }

    private func setVersion(
        _ version: TransportRequest.Version, isSecure: Bool, _ tls: TLSOptions
    ) throws(TransportError) {
        let asked: Int
        switch version {
        case .http1: asked = Int(CURL_HTTP_VERSION_1_1)
        // Over QUIC libcurl looks at pins only when it verifies as well, and here they are all that vouches for the
        // server. With this choice it does not follow Alt-Svc either.
        case .automatic where !tls.verifiesChain, .http3 where !tls.verifiesChain:
            asked = Int(CURL_HTTP_VERSION_2TLS)
        // Only with the library's own choice does it follow Alt-Svc.
        case .automatic: asked = Int(CURL_HTTP_VERSION_NONE)
        case .http2: asked = Int(isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
        case .http3:
            let canTry = isSecure && CurlLibrary.features.contains("HTTP/3")
            asked = Int(canTry ? CURL_HTTP_VERSION_3 : CURL_HTTP_VERSION_2TLS)
        }
        try set(CURLOPT_HTTP_VERSION, asked)
        // Better to wait for a connection that can be shared than to open one for each request.
        try set(CURLOPT_PIPEWAIT, version != .http1)
    }

    private func setMethodAndBody(_ exchange: CurlExchange) throws(TransportError) {
        let method = exchange.request.request.method
        if method == .head {
            try set(CURLOPT_NOBODY, true)
        } else if exchange.feed != nil {
            try set(CURLOPT_UPLOAD, true)
            try set(CURLOPT_INFILESIZE_LARGE, offset: exchange.feed?.byteCount ?? -1)
            try set(CURLOPT_CUSTOMREQUEST, method.rawValue)
        } else {
            try set(CURLOPT_HTTPGET, true)
            if method != .get { try set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
        }
    }

    private func setHead(_ exchange: CurlExchange) throws(TransportError) {
        let fields = exchange.request.request.fields
        try set(CURLOPT_USERAGENT, exchange.settings.userAgent)
        var lines: [String] = []
        // libcurl frames the body itself and knows how long it is.
        let framing: Set<HTTPFieldName> = [.contentLength, .transferEncoding, .acceptEncoding]
        for field in fields where !framing.contains(field.name) {
            // The form with a semicolon is libcurl's for a field without a value.
            lines.append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if !fields.contains("Expect") { lines.append("Expect:") }
        if !exchange.request.addsFields {
            for name in [HTTPFieldName.userAgent, .accept] where !fields.contains(name) { lines.append("\(name):") }
        }
        let accepted = fields[.acceptEncoding]
        if exchange.request.decodesContent {
            // A range of a coded body cannot be decoded, so none is asked for.
            let isRange = fields.contains(.range)
            try set(CURLOPT_ACCEPT_ENCODING, accepted ?? (isRange ? "identity" : CurlLibrary.codings))
        } else if let accepted {
            lines.append(accepted.isEmpty ? "Accept-Encoding;" : "Accept-Encoding: \(accepted)")
        }
        try setFields(lines)
    }

    private func setCallbacks(_ exchange: CurlExchange) throws(TransportError) {
        // The loop keeps the exchange alive for as long as the handle is on it.
        let context = Unmanaged.passUnretained(exchange).toOpaque()
        // Speed only. libcurl 7.88 refuses a change on a handle that a cancelled transfer has left with a buffer.
        setIfKnown(CURLOPT_BUFFERSIZE, 128 << 10)
        try set(CURLOPT_HEADERDATA, data: context)
        try set(
            CURLOPT_HEADERFUNCTION,
            function: { bytes, size, count, context in
                guard let context else { return 0 }
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue().received(line: line)
                return size * count
            })
        try set(CURLOPT_WRITEDATA, data: context)
        try set(
            CURLOPT_WRITEFUNCTION,
            function: { bytes, size, count, context in
                guard let context else { return 0 }
                let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue().received(body: body)
            })
        try set(CURLOPT_READDATA, data: context)
        try set(
            CURLOPT_READFUNCTION,
            function: { bytes, size, count, context in
                guard let context else { return LCURL_READ_ABORT }
                let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue().send(into: room)
            })
        try set(CURLOPT_SEEKDATA, data: context)
        try set(seek: { context, offset, _ in
            guard let context, offset == 0 else { return CURL_SEEKFUNC_FAIL }
            let exchange = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue()
            return exchange.rewind() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        })
        try set(CURLOPT_PREREQDATA, data: context)
        try set(prerequest: { context, _, _, _, _ in
            guard let context else { return CURL_PREREQFUNC_ABORT }
            let maySend = Unmanaged<CurlExchange>.fromOpaque(context).takeUnretainedValue().willSend()
            return maySend ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        })
    }
}
