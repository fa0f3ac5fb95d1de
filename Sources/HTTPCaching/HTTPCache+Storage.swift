public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPCache {
    /// Decides whether a response may be stored (RFC 9111, section 3).
    ///
    /// In a private cache `private` and `Authorization` do not stand against it. What could never be used again is not
    /// stored (`Vary: *`). A response that states no lifetime is stored when its status is cacheable by default: it can be
    /// validated, and it can stand in when the origin is unreachable.
    public static func mayStore(
        request: HTTPRequest, response: HTTPResponse, policy: CachingPolicy, now: Date
    ) -> StorageDecision {
        let responseControl = ResponseControl(response.fields, policy: policy)
        let control = responseControl.control
        let obstacle =
            storageObstacle(request: request, response: response, control: control)
            ?? responseControl.sharingObstacle(request)
        if let obstacle {
            return StorageDecision(mayStore: false, reasons: [obstacle])
        }
        let reasons = storageGrounds(response: response, control: responseControl)
        guard !reasons.isEmpty else {
            let reason = Reason(
                "status \(response.status) is stored only with a stated lifetime, and none is stated", "RFC 9111 §3")
            return StorageDecision(mayStore: false, reasons: [reason])
        }
        return StorageDecision(mayStore: true, reasons: reasons)
    }

    private static func storageObstacle(
        request: HTTPRequest, response: HTTPResponse, control: CacheControl
    ) -> Reason? {
        guard request.method == .get || request.method == .post else {
            return Reason("only responses to GET and POST are stored, not to \(request.method)", "RFC 9111 §3")
        }
        if request.method == .post, !isLikeGet(request: request, response: response, control: control) {
            return Reason(
                "a response to POST is stored only as 200 with a stated lifetime and the Content-Location of its URL",
                "RFC 9110 §9.3.3")
        }
        guard 200...599 ~= response.status else {
            return Reason("status \(response.status) is no final response", "RFC 9111 §3")
        }
        if [304, 412, 416].contains(response.status) {
            return Reason("status \(response.status) answers a condition or range of one request", "RFC 9111 §3")
        }
        if response.status == 206, let obstacle = partObstacle(request: request, response: response) { return obstacle }
        if CacheControl(request.fields).noStore {
            return Reason("the request forbids storing (Cache-Control: no-store)", "RFC 9111 §5.2.1.5")
        }
        if control.mustUnderstand {
            guard isUnderstood(response.status) else {
                return Reason(
                    "status \(response.status) is not known here (Cache-Control: must-understand)", "RFC 9111 §5.2.2.3")
            }
        } else if control.noStore {
            return Reason("the origin forbids storing (Cache-Control: no-store)", "RFC 9111 §5.2.2.5")
        }
        if Variants.nominated(by: response) == nil {
            return Reason("it suits no other request (Vary: *)", "RFC 9111 §4.1")
        }
        return nil
    }

    /// What forbids to store a 206. A part of a coded body could never be decoded, not even with the rest of it, as what is
    /// stored whole is stored decoded.
    private static func partObstacle(request: HTTPRequest, response: HTTPResponse) -> Reason? {
        if !request.fields.contains(.range) {
            return Reason("it has only a part of what was asked for", "RFC 9110 §15.3.7")
        }
        if part(of: response) == nil {
            return Reason("it has several parts, or one of a whole of unknown length", "RFC 9111 §3.3")
        }
        if response.fields.contains(.contentEncoding) {
            return Reason("it has a part of a coded body, which cannot be decoded by itself", "RFC 9111 §3.3")
        }
        return nil
    }

    /// Whether a response to POST is what a GET of the same URL would have brought (RFC 9110, section 9.3.3).
    private static func isLikeGet(request: HTTPRequest, response: HTTPResponse, control: CacheControl) -> Bool {
        guard response.status == 200, control.maxAge != nil || response.fields.contains(.expires),
            let location = response.fields.firstValue(of: .contentLocation)
        else { return false }
        return request.url.resolving(location) == request.url
    }

    /// What speaks for storing; empty when nothing does.
    private static func storageGrounds(response: HTTPResponse, control responseControl: ResponseControl) -> [Reason] {
        let control = responseControl.control
        var reasons: [Reason] = []
        func note(_ holds: Bool, _ text: String, _ reference: String) {
            if holds { reasons.append(Reason(text, reference)) }
        }
        if let (_, basis) = responseControl.lifetime {
            reasons.append(Reason("its lifetime is stated (\(basis.text))", "RFC 9111 §3"))
        }
        note(responseControl.expires(response.fields) != nil, "its end is stated (Expires)", "RFC 9111 §3")
        note(control.isPublic, "any cache may store it (Cache-Control: public)", "RFC 9111 §5.2.2.9")
        note(control.isPrivate != nil, "a user's own cache may store it (Cache-Control: private)", "RFC 9111 §5.2.2.7")
        note(
            Freshness.isHeuristicallyCacheable(response.status), "status \(response.status) may be stored by default",
            "RFC 9110 §15.1")
        return reasons
    }

    /// Whether the caching rules of a status are known and followed here (RFC 9111, section 5.2.2.3).
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...206, 300...303, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505, 511: true
        default: false
        }
    }

    /// The fields of the request that the store must keep for variant choice: those that the response's `Vary` nominates.
    public static func selectingFields(of request: HTTPRequest, for response: HTTPResponse) -> HTTPFields {
        let names = Variants.nominated(by: response) ?? []
        return HTTPFields(request.fields.filter { names.contains($0.name) })
    }

    /// The fields to store: hop-by-hop fields and those named by `Connection` or `no-cache="…"` removed (RFC 9111,
    /// section 3.1).
    /// - Parameter coding: the content coding that the transport has taken off the body; `nil` for a body as it came.
    public static func storableFields(of response: HTTPResponse, decodedFrom coding: String? = nil) -> HTTPFields {
        let listed = response.fields.values(of: .connection).flatMap(fieldNames)
        let withheld = fieldsToAskFor(response.fields)
        var fields = response.fields
        fields.removeAll { field in
            hopByHop.contains(field.name) || listed.contains(field.name) || withheld.contains(field.name)
        }
        if let coding { fields.append(.decodedCoding, coding) }
        return fields
    }

    /// The fields that `no-cache="…"` keeps from being used again without asking (RFC 9111, section 5.2.2.4).
    static func fieldsToAskFor(_ fields: HTTPFields) -> [HTTPFieldName] {
        if case .fields(let names) = CacheControl(fields).noCache { names } else { [] }
    }

    /// A response with the time of its arrival for a `Date` that the origin left out (RFC 9110, section 6.6.1).
    public static func dated(_ response: HTTPResponse, receivedAt now: Date) -> HTTPResponse {
        guard !response.fields.contains(.date) else { return response }
        var response = response
        response.fields.append(.date, HTTPDate.format(now))
        return response
    }

    private static func fieldNames(_ list: String) -> [HTTPFieldName] {
        list.utf8.split(separator: UInt8(ascii: ",")).compactMap { HTTPFieldName(Substring($0).trimmingSpaces()) }
    }

    /// Fields about one connection or one proxy, and the mark that only this cache may set.
    private static let hopByHop: Set<HTTPFieldName> = [
        .connection, .transferEncoding, "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate",
        "Proxy-Authentication-Info", "Proxy-Authorization", "TE", "Trailer", "Upgrade", .decodedCoding,
    ]

    /// The URLs whose entries a response to an unsafe request invalidates (RFC 9111, section 4.4): the target, and those of
    /// the same origin in `Location` and `Content-Location`; empty for safe methods and for error responses.
    public static func invalidations(request: HTTPRequest, response: HTTPResponse) -> [HTTPURL] {
        guard !request.method.isSafe, 200...399 ~= response.status else { return [] }
        var urls = [request.url]
        for name in [HTTPFieldName.location, .contentLocation] {
            guard let value = response.fields.firstValue(of: name), let url = request.url.resolving(value),
                url.origin == request.url.origin, !urls.contains(url)
            else { continue }
            urls.append(url)
        }
        return urls
    }
}
