import HTTPModel

extension HTTPFieldName {
    static let via: Self = "Via"
}

/// The fields that are for one connection and go no further (RFC 9110, section 7.6.1).
enum HopFields {
    private static let upgrade: HTTPFieldName = "Upgrade"
    private static let keepAlive: HTTPFieldName = "Keep-Alive"
    private static let proxyConnection: HTTPFieldName = "Proxy-Connection"
    private static let proxyAuthorization: HTTPFieldName = "Proxy-Authorization"
    private static let te: HTTPFieldName = "TE"
    private static let trailer: HTTPFieldName = "Trailer"

    /// The names that `Connection` lists; empty for the usual `close` and `keep-alive`, which need no look.
    static func nominated(by fields: HTTPFields) -> [HTTPFieldName] {
        var names: [HTTPFieldName] = []
        for field in fields where field.name == .connection {
            for member in field.value.split(separator: ",") {
                let name = member.filter { $0 != " " && $0 != "\t" }
                if name == "close" || name == "keep-alive" { continue }
                if let name = HTTPFieldName(name) { names.append(name) }
            }
        }
        return names
    }

    /// Whether a field stays on this connection. The length and the transfer coding are each connection's own business.
    static func isForThisHop(_ name: HTTPFieldName) -> Bool {
        switch name.rawName.utf8.count {
        case 2: name == te
        case 7: name == upgrade || name == trailer
        case 10: name == .connection || name == keepAlive
        case 14: name == .contentLength
        case 16: name == proxyConnection
        case 17: name == .transferEncoding
        case 19: name == proxyAuthorization
        default: false
        }
    }

    /// The fields of a request that go forward. `Host` is made anew from the URL.
    static func removed(from fields: HTTPFields, keepsHost: Bool) -> HTTPFields {
        let nominated = nominated(by: fields)
        return HTTPFields(
            fields.filter { field in
                if field.name == .host { return keepsHost }
                return !isForThisHop(field.name) && !nominated.contains(field.name)
            })
    }
}
