public import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Responses that have only a part of a representation (RFC 9111, sections 3.3 and 3.4).
extension HTTPCache {
    /// The bytes that a response has of a whole of known length; `nil` when it is no 206, or one that has several parts or does
    /// not tell the length of the whole.
    public static func part(of response: HTTPResponse) -> (range: Range<Int64>, wholeByteCount: Int64)? {
        guard response.status == 206, let value = response.fields.firstValue(of: .contentRange),
            let content = ContentRange(value), let range = content.range, let whole = content.completeByteCount
        else { return nil }
        return (range, whole)
    }

    /// Whether two responses are of the same representation, byte for byte: they share a strong validator, the content coding
    /// and, as far as both tell it, the length (RFC 9110, section 15.3.7.3).
    public static func isSameRepresentation(_ left: HTTPResponse, _ right: HTTPResponse) -> Bool {
        guard left.fields.firstValue(of: .contentEncoding) == right.fields.firstValue(of: .contentEncoding),
            let tag = strongValidator(of: left), tag == strongValidator(of: right)
        else { return false }
        guard let leftCount = wholeByteCount(of: left), let rightCount = wholeByteCount(of: right) else { return true }
        return leftCount == rightCount
    }

    /// The validator that names the bytes of a response: its strong tag, or without any tag a `Last-Modified` well before its
    /// `Date` (RFC 9110, section 8.8.2.2); `nil` when it has none, or when its body has been decoded since.
    public static func strongValidator(of response: HTTPResponse) -> String? {
        guard !response.fields.contains(.decodedCoding) else { return nil }
        if let tag = response.fields.firstValue(of: .eTag) {
            return EntityTag(tag).flatMap { $0.isWeak ? nil : $0.description }
        }
        guard let modified = response.fields.firstValue(of: .lastModified),
            let date = response.fields.firstValue(of: .date),
            let modifiedDate = HTTPDate.parse(modified, now: .distantPast),
            let madeDate = HTTPDate.parse(date, now: .distantPast), madeDate.timeIntervalSince(modifiedDate) >= 1
        else { return nil }
        return modified
    }

    /// What is stored of a representation once more of it has come: the fields of the newer response in place of those of the
    /// older, and the joint range of bytes (RFC 9111, section 3.4).
    /// - Returns: a 200 when nothing is missing any more, a 206 otherwise; `nil` when the two cannot be put together.
    public static func combined(_ older: HTTPResponse, with newer: HTTPResponse) -> HTTPResponse? {
        guard let old = part(of: older), let new = part(of: newer), isSameRepresentation(older, newer),
            old.range.lowerBound <= new.range.upperBound, new.range.lowerBound <= old.range.upperBound
        else { return nil }
        let fields = updatedFields(of: older, with: newer)
        let range =
            min(old.range.lowerBound, new.range.lowerBound)..<max(old.range.upperBound, new.range.upperBound)
        return response(fields, having: range, of: new.wholeByteCount)
    }

    /// A response broken off after so many bytes, as the part that it is; `nil` when nothing could be added to it later.
    public static func brokenOff(_ response: HTTPResponse, after byteCount: Int64) -> HTTPResponse? {
        guard byteCount > 0, strongValidator(of: response) != nil else { return nil }
        if response.status == 200, let whole = wholeByteCount(of: response), byteCount < whole {
            return self.response(response.fields, having: 0..<byteCount, of: whole)
        }
        guard let part = part(of: response), byteCount < part.range.count else { return nil }
        let end = part.range.lowerBound + byteCount
        return self.response(response.fields, having: part.range.lowerBound..<end, of: part.wholeByteCount)
    }

    /// How many bytes the body must have to be all that the head promises; `nil` when the head does not tell.
    public static func promisedByteCount(of response: HTTPResponse) -> Int64? {
        if response.status == 206 { return part(of: response).map { Int64($0.range.count) } }
        return wholeByteCount(of: response)
    }

    private static func response(_ fields: HTTPFields, having range: Range<Int64>, of whole: Int64) -> HTTPResponse {
        var response = HTTPResponse(status: range == 0..<whole ? 200 : 206, fields: fields)
        response.fields[.contentRange] =
            response.status == 200 ? nil : ContentRange(range: range, completeByteCount: whole)?.description
        response.fields[.contentLength] = String(range.count)
        return response
    }

    private static func wholeByteCount(of response: HTTPResponse) -> Int64? {
        if response.status == 206 { return part(of: response)?.wholeByteCount }
        guard !response.fields.contains(.decodedCoding) else { return nil }
        return response.fields.firstValue(of: .contentLength).flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    // MARK: - Answering from parts

    /// The bytes that a request wants of a whole of some length.
    enum Wanted: Equatable {
        /// All of it: it asks for no part, for several that are apart, or in a way that may be ignored.
        case whole
        case part(Range<Int64>)
        /// What it asks for lies outside.
        case nothing
    }

    /// What a GET request wants of a stored response's whole, its `If-Range` judged (RFC 9110, section 13.1.5).
    static func wanted(by request: HTTPRequest, of stored: StoredResponse, wholeByteCount: Int64) -> Wanted {
        guard request.method == .get, let value = request.fields[.range], let ranges = ByteRangeSet(value),
            holdsIfRange(stored, request)
        else { return .whole }
        let offsets = ranges.resolved(in: wholeByteCount)
        if offsets.isEmpty { return .nothing }
        return offsets.count == 1 ? .part(offsets[0]) : .whole
    }

    private static func holdsIfRange(_ stored: StoredResponse, _ request: HTTPRequest) -> Bool {
        guard let condition = request.fields[.ifRange] else { return true }
        guard let validator = strongValidator(of: stored.response) else { return false }
        if let tag = EntityTag(condition) { return !tag.isWeak && tag.description == validator }
        guard let limit = HTTPDate.parse(condition, now: stored.responseTime),
            let modified = stored.response.fields.firstValue(of: .lastModified)
                .flatMap({ HTTPDate.parse($0, now: stored.responseTime) })
        else { return false }
        // A date is a strong validator only when the response was made well after it (RFC 9110, section 8.8.2.2).
        return modified == limit && Freshness.date(of: stored).timeIntervalSince(modified) >= 1
    }

    /// Whether what is stored has every byte that a request wants.
    static func hasAllBytes(_ stored: StoredResponse, for request: HTTPRequest) -> Bool {
        guard stored.response.status == 206 else { return true }
        guard let part = part(of: stored.response) else { return false }
        switch wanted(by: request, of: stored, wholeByteCount: part.wholeByteCount) {
        case .whole: return false
        case .nothing: return true
        case .part(let range):
            return part.range.lowerBound <= range.lowerBound && range.upperBound <= part.range.upperBound
        }
    }

    /// The request fields that fetch what is missing of a stored part, when that is its end and its validator is strong.
    static func completingFields(of stored: StoredResponse) -> HTTPFields? {
        guard let part = part(of: stored.response), part.range.lowerBound == 0,
            let validator = strongValidator(of: stored.response)
        else { return nil }
        // The rest must be of the bytes as they are: what is coded is not stored in parts.
        return [.range: "bytes=\(part.range.upperBound)-", .ifRange: validator, .acceptEncoding: "identity"]
    }
}

extension HTTPFieldName {
    /// Marks a stored response whose body the transport has decoded, with the coding it had: its tag names other bytes. Never
    /// leaves this cache, and is taken off what comes in.
    static let decodedCoding: Self = "Larder-Decoded"
}
