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
    /// - Parameter bodyByteCount: the length of the stored body. With it, a request for one range of bytes is answered with
    ///   206, whose `Content-Range` names the bytes to send, or with 416 and no body (RFC 9110, section 14); `If-Range` is
    ///   judged. Without it `Range` is passed over, as any recipient may, and the whole is the answer.
    /// - Returns: a 304, 416 or answer to HEAD goes without body, a 206 with the bytes of its `Content-Range`, anything else
    ///   with the whole body.
    public static func presented(
        _ stored: StoredResponse, for request: HTTPRequest, now: Date, status: CacheStatus, bodyByteCount: Int64? = nil
    ) -> HTTPResponse {
        var response = stored.response
        if isSatisfied(stored, request) {
            response = notModified(response)
        } else if let bodyByteCount, let range = applicableRange(stored, request) {
            response = partial(response, range: range, of: bodyByteCount)
        }
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

    /// The range to answer with: one range, asked of a 200 by GET, while `If-Range` holds (RFC 9110, section 13.1.5).
    private static func applicableRange(_ stored: StoredResponse, _ request: HTTPRequest) -> ByteRange? {
        guard request.method == .get, stored.response.status == 200,
            let range = request.fields[.range].flatMap({ ByteRange($0) })
        else { return nil }
        guard let condition = request.fields[.ifRange] else { return range }
        if let tag = EntityTag(condition) {
            let current = stored.response.fields.firstValue(of: .eTag).flatMap { EntityTag($0) }
            return current?.isStronglyEqual(to: tag) == true ? range : nil
        }
        // A date is a strong validator only when the response was made well after it (RFC 9110, section 8.8.2.2).
        guard let limit = HTTPDate.parse(condition, now: stored.responseTime),
            let modified = stored.response.fields.firstValue(of: .lastModified)
                .flatMap({ HTTPDate.parse($0, now: stored.responseTime) }),
            modified == limit, Freshness.date(of: stored).timeIntervalSince(modified) >= 1
        else { return nil }
        return range
    }

    private static func partial(_ response: HTTPResponse, range: ByteRange, of byteCount: Int64) -> HTTPResponse {
        var response = response
        let offsets = range.resolved(in: byteCount)
        response.status = offsets == nil ? 416 : 206
        response.fields[.contentRange] =
            ContentRange(range: offsets, completeByteCount: byteCount)?.description
        response.fields[.contentLength] = String(offsets?.count ?? 0)
        if offsets == nil {
            response.fields.removeAll { $0.name == .contentType || $0.name == .contentEncoding }
        }
        return response
    }
}
