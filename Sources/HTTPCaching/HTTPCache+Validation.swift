public import HTTPModel

extension HTTPCache {
    /// The fields of a stored response after a 304 (or a HEAD response) has updated it (RFC 9111, section 3.2).
    ///
    /// Fields of the new response replace those of the same name, except what is not stored at all and what describes the
    /// stored bytes: `Content-Length`, `Content-Encoding` and `Content-Range`. `Age` and `Date` tell about one response on
    /// its way, so those of the old one go even where the new one has none; the caller keeps the new request's times.
    public static func updatedFields(of stored: HTTPResponse, with fresh: HTTPResponse) -> HTTPFields {
        var update = storableFields(of: fresh)
        let withheld = fieldsToAskFor(stored.fields)
        update.removeAll { bodyFields.contains($0.name) || withheld.contains($0.name) }
        var fields = stored.fields
        fields.removeAll { $0.name == .age || $0.name == .date }
        var replaced: Set<HTTPFieldName> = []
        for field in update {
            if replaced.insert(field.name).inserted { fields[field.name] = nil }
            fields.append(field.name, field.value)
        }
        return fields
    }

    /// Fields about the bytes that are stored, which a response without them cannot change.
    private static let bodyFields: Set<HTTPFieldName> = [.contentLength, .contentEncoding, .contentRange]

    /// Whether a 304 or a HEAD response is about this stored response (RFC 9111, sections 4.3.4 and 4.3.5).
    ///
    /// Tags are compared weakly, as the origin does for `If-None-Match`; a tag that only one side has decides nothing when
    /// `Last-Modified` is the same. A 304 without validators is about the one entry that was asked about. Any other status
    /// than 304 and the stored one is about another response.
    public static func selects(_ validation: HTTPResponse, _ stored: StoredResponse) -> Bool {
        let old = stored.response.fields, new = validation.fields
        let isPart = stored.response.status == 206
        guard validation.status == 304 || validation.status == (isPart ? 200 : stored.response.status) else {
            return false
        }
        let oldTag = old.firstValue(of: .eTag), newTag = new.firstValue(of: .eTag)
        let oldDate = old.firstValue(of: .lastModified), newDate = new.firstValue(of: .lastModified)
        if let oldTag, let newTag {
            guard isSameTag(oldTag, newTag) else { return false }
        } else if newTag != nil, newDate == nil || newDate != oldDate {
            return false
        }
        if validation.status == 304 {
            return newTag != nil || newDate == nil || newDate == oldDate
        }
        if let newDate, let oldDate, newDate != oldDate { return false }
        let oldLength =
            isPart
            ? part(of: stored.response).map { String($0.wholeByteCount) } : old.firstValue(of: .contentLength)
        guard let oldLength, let newLength = new.firstValue(of: .contentLength),
            old.firstValue(of: .contentEncoding) == new.firstValue(of: .contentEncoding)
        else { return true }
        return oldLength == newLength
    }

    /// The stored response that a 304 confirms, of those that were asked about (RFC 9111, section 4.3.4); `nil` when it is about
    /// none of them, or when it does not say which of several tags it means.
    /// - Parameter condition: the `If-None-Match` that was sent.
    public static func confirmed(
        by validation: HTTPResponse, among asked: [StoredResponse], condition: String?
    ) -> StoredResponse? {
        guard validation.status == 304 else { return nil }
        if !validation.fields.contains(.eTag), let condition, case .tags(let tags) = EntityTagCondition(condition),
            tags.count > 1
        {
            return nil
        }
        return asked.filter { selects(validation, $0) }.max { Variants.isPreferred($1, to: $0) }
    }

    /// Whether a 304 answers the caller's own `If-None-Match`, whatever the cache asked besides (RFC 9111, section 4.3.2).
    public static func answersOwnCondition(_ validation: HTTPResponse, of request: HTTPRequest) -> Bool {
        guard let value = request.fields[.ifNoneMatch], let condition = EntityTagCondition(value),
            let tag = validation.fields.firstValue(of: .eTag).flatMap({ EntityTag($0) })
        else { return false }
        return condition.matchesWeakly(tag)
    }

    /// The stored responses that a confirmation is about beside the confirmed one: those with the same strong validator
    /// (RFC 9111, section 4.3.4).
    public static func alsoConfirmed(
        by validation: HTTPResponse, with confirmed: StoredResponse, stored: [StoredResponse]
    ) -> [StoredResponse] {
        guard let tag = validation.fields.firstValue(of: .eTag).flatMap({ EntityTag($0) }), !tag.isWeak else {
            return []
        }
        return stored.filter {
            $0.id != confirmed.id && strongValidator(of: $0.response) == tag.description
        }
    }

    /// The stored responses that the answer to a HEAD request can be about: those that a GET with the same fields could have
    /// been answered from (RFC 9111, section 4.3.5).
    public static func concerned(by request: HTTPRequest, stored: [StoredResponse]) -> [StoredResponse] {
        stored.filter { Variants.matches($0, request) }
    }

    private static func isSameTag(_ left: String, _ right: String) -> Bool {
        guard let leftTag = EntityTag(left), let rightTag = EntityTag(right) else { return left == right }
        return leftTag.isWeaklyEqual(to: rightTag)
    }
}
