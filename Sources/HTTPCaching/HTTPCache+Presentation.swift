public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension HTTPCache {
    /// The response to hand to the caller for a served entry: `Age` set, `Cache-Status` appended, caller's own conditional
    /// request answered with 304 (RFC 9111, section 4.3.2), `HEAD` answered with the fields alone.
    ///
    /// - Parameter bodyByteCount: the length of the stored body. With it, a request for a range of bytes, or for several that
    ///   touch, is answered with 206, whose `Content-Range` names the bytes to send, or with 416 and no body (RFC 9110,
    ///   section 14); `If-Range` is judged. Ranges apart from each other, and any `Range` without the length, are passed
    ///   over, as any recipient may, and the whole is the answer.
    /// - Returns: a 304, 416 or answer to HEAD goes without body, a 206 with the bytes of its `Content-Range`, anything else
    ///   with the whole body.
    public static func presented(
        _ stored: StoredResponse, for request: HTTPRequest, now: Date, status: CacheStatus, bodyByteCount: Int64? = nil
    ) -> HTTPResponse {
        var response = stored.response
        if isSatisfied(stored, request) {
            response = notModified(response)
        } else if let wholeByteCount = part(of: response)?.wholeByteCount ?? bodyByteCount,
            [200, 206].contains(response.status), request.fields.contains(.range)
        {
            response = partial(stored, for: request, of: wholeByteCount)
        }
        response = visible(response)
        response.fields[.age] = String(age(of: stored, now: now))
        response.fields.append(.cacheStatus, status.description)
        return response
    }

    /// Whether the caller holds this representation already (RFC 9110, section 13.2.2, steps 3 and 4).
    private static func isSatisfied(_ stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        guard 200...299 ~= stored.response.status, request.method == .get || request.method == .head else {
            return false
        }
        if let value = request.fields[.ifNoneMatch] {
            guard let condition = EntityTagCondition(value) else {
                return value == stored.response.fields.firstValue(of: .eTag)
            }
            return condition.matchesWeakly(stored.response.fields.firstValue(of: .eTag).flatMap { EntityTag($0) })
        }
        guard let value = request.fields[.ifModifiedSince], let limit = HTTPDate.parse(value, now: stored.responseTime)
        else { return false }
        // Without Last-Modified the time of the response itself stands in (RFC 9111, section 4.3.2).
        let modified = stored.response.fields.firstValue(of: .lastModified)
            .flatMap { HTTPDate.parse($0, now: stored.responseTime) }
        return modified ?? Freshness.date(of: stored) <= limit
    }

    /// A 304 with what guides a cache and without what describes a body (RFC 9110, section 15.4.5).
    private static func notModified(_ response: HTTPResponse) -> HTTPResponse {
        var fields = response.fields
        let hasTag = fields.contains(.eTag)
        fields.removeAll { field in
            representationFields.contains(field.name) || (hasTag && field.name == .lastModified)
        }
        return HTTPResponse(status: 304, fields: fields)
    }

    private static let representationFields: Set<HTTPFieldName> = [
        .contentType, .contentLength, .contentEncoding, .contentRange, "Content-Language",
    ]

    /// The part of a stored whole, or of what is stored of it (RFC 9110, section 15.3.7).
    private static func partial(_ stored: StoredResponse, for request: HTTPRequest, of byteCount: Int64) -> HTTPResponse
    {
        var response = stored.response
        let range: Range<Int64>?
        switch wanted(by: request, of: stored, wholeByteCount: byteCount) {
        case .whole: return response
        case .part(let part): range = part
        case .nothing: range = nil
        }
        response.status = range == nil ? 416 : 206
        response.fields[.contentRange] = ContentRange(range: range, completeByteCount: byteCount)?.description
        response.fields[.contentLength] = String(range?.count ?? 0)
        if range == nil {
            response.fields.removeAll { $0.name == .contentType || $0.name == .contentEncoding }
        }
        return response
    }

    /// A stored response without what only this cache is to know.
    public static func visible(_ stored: HTTPResponse) -> HTTPResponse {
        guard stored.fields.contains(.decodedCoding) else { return stored }
        var response = decoded(stored)
        response.fields[.decodedCoding] = nil
        return response
    }

    /// A response as callers see it whose body was decoded on its way (RFC 9110, section 8.8.3): a strong tag names the coded
    /// bytes, so that it can only be a weak name of these.
    public static func decoded(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        if let tag = response.fields.firstValue(of: .eTag), let parsed = EntityTag(tag), !parsed.isWeak {
            response.fields[.eTag] = "W/\(parsed)"
        }
        return response
    }
}
