import HTTPModel

/// What a request asks of the proxy.
enum ProxyRequest {
    /// Pass it on, or answer it from the store.
    case exchange(HTTPRequest)
    /// Make a tunnel to a host (CONNECT).
    case tunnel(host: String, port: UInt16)
    /// Make a tunnel for another protocol, and send this head through it first.
    case upgrade(host: String, port: UInt16, head: String)
    /// Answer it here.
    case answer(HTTPResponse, body: String)
}

/// Turns what clients ask into what goes forward (RFC 9110, section 7.6; RFC 9112, section 3).
struct RequestTranslator {
    let configuration: LocalProxy.Configuration
    private let originPrefix: String
    private let viaValue: String
    private let oldViaValue: String

    init(_ configuration: LocalProxy.Configuration) {
        self.configuration = configuration
        (viaValue, oldViaValue) = ("1.1 \(configuration.name)", "1.0 \(configuration.name)")
        let prefix = configuration.origin?.string ?? ""
        originPrefix = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    }

    /// What a request asks for.
    func translate(_ head: RequestHead) throws(ProxyFailure) -> ProxyRequest {
        try checkFraming(head)
        try checkHost(head)
        if head.line.method.rawValue == "CONNECT" { return try tunnel(head) }
        if head.line.target == "*" { return try asterisk(head) }
        let url = try url(head)
        if let answer = try answerAtLastHop(head) { return answer }
        if let upgrade = upgrade(head, url) { return upgrade }
        return .exchange(HTTPRequest(method: head.line.method, url: url, fields: try fields(head)))
    }

    // MARK: - Checks

    private func checkFraming(_ head: RequestHead) throws(ProxyFailure) {
        guard let coding = head.fields[.transferEncoding] else { return }
        guard !head.line.isHTTP10 else { throw .badRequest("HTTP/1.0 knows no Transfer-Encoding") }
        guard coding.utf8.count == 7, coding.lowercased() == "chunked" else {
            throw ProxyFailure(status: 501, sentence: "the only transfer coding that is read here is chunked")
        }
    }

    /// Exactly one `Host`, which names a host (RFC 9112, section 3.2).
    private func checkHost(_ head: RequestHead) throws(ProxyFailure) {
        var count = 0
        for field in head.fields where field.name == .host {
            count += 1
            guard field.value.utf8.allSatisfy(Self.isAuthorityByte) else {
                throw .badRequest("Host is not a host name with an optional port")
            }
        }
        guard count == 1 || (count == 0 && head.line.isHTTP10) else {
            throw .badRequest(count == 0 ? "Host is missing" : "there is more than one Host")
        }
    }

    private static func isAuthorityByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"), UInt8(ascii: ","),
            UInt8(ascii: "\\"):
            false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    // MARK: - Targets

    private func url(_ head: RequestHead) throws(ProxyFailure) -> HTTPURL {
        let target = head.line.target
        let isOriginForm = target.utf8.first == UInt8(ascii: "/")
        if configuration.origin != nil {
            let path = isOriginForm ? target : HTTPURL(target)?.target
            guard let path, let url = HTTPURL(originPrefix + path) else {
                throw .badRequest("the request's target is neither a path nor an absolute URL")
            }
            return url
        }
        guard !isOriginForm else {
            throw .badRequest(
                "this is a forward proxy, so the target is an absolute URL, such as GET http://example.com/ HTTP/1.1; "
                    + "set it as the HTTP proxy of your program, or start it with an origin as a reverse proxy")
        }
        guard let url = HTTPURL(target) else {
            throw .badRequest("the request's target is no http or https URL without user information")
        }
        return url
    }

    private func tunnel(_ head: RequestHead) throws(ProxyFailure) -> ProxyRequest {
        guard configuration.origin == nil else {
            throw ProxyFailure(status: 405, sentence: "a reverse proxy makes no tunnels")
        }
        let target = head.line.target
        guard head.body == nil, let colon = target.utf8.lastIndex(of: UInt8(ascii: ":")), !target.contains("/"),
            let port = UInt16(target[target.utf8.index(after: colon)...]), port > 0,
            let url = HTTPURL("https://\(target)/")
        else { throw .badRequest("CONNECT takes HOST:PORT and no body") }
        if let allowed = configuration.connectPorts, !allowed.contains(port) {
            let list = allowed.sorted().map(String.init).joined(separator: ", ")
            throw ProxyFailure(
                status: 403,
                sentence: "tunnels go to port \(list.isEmpty ? "none" : list) only, not to \(port); "
                    + "the proxy's setting for CONNECT ports allows others",
                type: "http_request_denied")
        }
        return .tunnel(host: url.host, port: port)
    }

    private func asterisk(_ head: RequestHead) throws(ProxyFailure) -> ProxyRequest {
        guard head.line.method == .options else { throw .badRequest("the target * is for OPTIONS only") }
        return .answer(HTTPResponse(status: 204, fields: ["Allow": Self.allowed]), body: "")
    }

    private static let allowed = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE, CONNECT"

    /// TRACE and OPTIONS that have gone as far as they may (RFC 9110, section 7.6.2).
    private func answerAtLastHop(_ head: RequestHead) throws(ProxyFailure) -> ProxyRequest? {
        guard head.line.method == .trace || head.line.method == .options,
            let value = head.fields["Max-Forwards"]
        else { return nil }
        guard let left = Int(value), left >= 0 else { throw .badRequest("Max-Forwards is not a number") }
        guard left == 0 else { return nil }
        if head.line.method == .options {
            return .answer(HTTPResponse(status: 204, fields: ["Allow": Self.allowed]), body: "")
        }
        // What could be a secret does not go back (RFC 9110, section 9.3.8).
        let secret: Set<HTTPFieldName> = [.authorization, .cookie, "Proxy-Authorization"]
        let lines = head.fields.filter { !secret.contains($0.name) }.map { "\($0.name): \($0.value)\r\n" }
        let version = head.line.isHTTP10 ? "1.0" : "1.1"
        return .answer(
            HTTPResponse(status: 200, fields: [.contentType: "message/http"]),
            body: "\(head.line.method) \(head.line.target) HTTP/\(version)\r\n\(lines.joined())\r\n")
    }

    // MARK: - Fields

    /// The fields that go forward: without those meant for this hop, with this proxy's `Via`.
    private func fields(_ head: RequestHead) throws(ProxyFailure) -> HTTPFields {
        var fields = HopFields.removed(from: head.fields, keepsHost: configuration.preservesHost)
        for field in head.fields where field.name == .via && field.value.contains(configuration.name) {
            throw ProxyFailure(
                status: 508, sentence: "the request has been through this proxy already: it points at itself",
                type: "proxy_loop_detected")
        }
        if head.line.isHTTP10 { fields["Expect"] = nil }
        if head.line.method == .trace || head.line.method == .options,
            let left = fields["Max-Forwards"].flatMap({ Int($0) })
        {
            fields["Max-Forwards"] = String(left - 1)
        }
        fields.append(.via, head.line.isHTTP10 ? oldViaValue : viaValue)
        return fields
    }

    /// A request to go over to another protocol, over plain HTTP: its head and all that follows go through a tunnel.
    private func upgrade(_ head: RequestHead, _ url: HTTPURL) -> ProxyRequest? {
        guard !url.isSecure, head.body == nil, head.line.method == .get, !head.line.isHTTP10,
            let wanted = head.fields["Upgrade"], head.fields[.connection]?.lowercased().contains("upgrade") == true,
            var fields = try? fields(head), let port = UInt16(exactly: url.port)
        else { return nil }
        fields.append(.connection, "Upgrade")
        fields.append("Upgrade", wanted)
        let host = configuration.preservesHost ? "" : "Host: \(url.authority)\r\n"
        let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        return .upgrade(host: url.host, port: port, head: "GET \(url.target) HTTP/1.1\r\n\(host)\(lines)\r\n")
    }
}
