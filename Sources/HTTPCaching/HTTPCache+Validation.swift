public import HTTPModel

extension HTTPCache {
    /// The fields of a stored response after a 304 (or a HEAD response) has updated it (RFC 9111, section 3.2).
    ///
    /// Fields of the new response replace those of the same name, except what is not stored at all and what describes the
    /// stored bytes: `Content-Length`, `Content-Encoding` and `Content-Range`. `Age` and `Date` tell about one response on
    /// its way, so those of the old one go even where the new one has none; the caller keeps the new request's times.
    public static func updatedFields(of stored: HTTPResponse, with fresh: HTTPResponse) -> HTTPFields {
        var update = storableFields(of: fresh)
        update.removeAll { bodyFields.contains($0.name) }
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
        guard validation.status == 304 || validation.status == stored.response.status else { return false }
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
        guard let oldLength = old.firstValue(of: .contentLength), let newLength = new.firstValue(of: .contentLength),
            old.firstValue(of: .contentEncoding) == new.firstValue(of: .contentEncoding)
        else { return true }
        return oldLength == newLength
    }

    private static func isSameTag(_ left: String, _ right: String) -> Bool {
        guard let leftTag = EntityTag(left), let rightTag = EntityTag(right) else { return left == right }
        return leftTag.isWeaklyEqual(to: rightTag)
    }
}
