import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The response as the store shall keep it, from the one that came.
enum StoredFields {
    private static let hopByHop: Set<HTTPFieldName> = [
        .connection, "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection",
        "Proxy-Authentication-Info", "TE", "Trailer", .transferEncoding, "Upgrade", .contentRange,
    ]

    /// What the engine asks for in the app's name: a response that varies by it is found again by the app's requests.
    static let acceptEncoding = "gzip, br, zstd"

    /// A 200 response of the whole body: without hop-by-hop fields and those that `Connection` names (RFC 9111, section 3.1),
    /// and with the length of the body as it is stored.
    static func response(_ received: HTTPResponse, byteCount: Int64) -> HTTPResponse {
        let named = Set(
            received.fields.values(of: .connection).flatMap { $0.split(separator: ",") }
                .compactMap { HTTPFieldName($0.trimmed) })
        var fields = received.fields
        fields.removeAll { hopByHop.contains($0.name) || named.contains($0.name) }
        fields[.contentLength] = String(byteCount)
        return HTTPResponse(status: 200, fields: fields)
    }

    /// A partial response with the fields that only the first response of the same body carried.
    static func completed(_ response: HTTPResponse, _ partial: Journal.Partial?) -> HTTPResponse {
        var response = response
        for field in partial?.fields ?? [:] where !response.fields.contains(field.name) {
            let values = partial?.fields.values(of: field.name) ?? []
            for value in values { response.fields.append(field.name, value) }
        }
        return response
    }

    /// The fields of the request that the response's `Vary` nominates.
    static func selecting(_ request: HTTPFields, for response: HTTPResponse) -> HTTPFields {
        let nominated = response.fields.values(of: .vary).flatMap { $0.split(separator: ",") }
            .compactMap { HTTPFieldName($0.trimmed) }
        var selecting = HTTPFields()
        for name in nominated {
            if let value = name == .acceptEncoding ? acceptEncoding : request[name] { selecting[name] = value }
        }
        return selecting
    }
}

extension StringProtocol {
    /// The text without spaces and tabs at its ends.
    var trimmed: String {
        let rest = drop { $0 == " " || $0 == "\t" }
        guard let last = rest.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(rest[...last])
    }
}
