import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ServerResponse {
    /// Adds validators, and answers 304 or 412 in its place when the request's conditions say so (RFC 9110, section 13.2.2).
    ///
    /// For answers to GET and HEAD with status 200; others only get the validators.
    /// - Parameters:
    ///   - eTag: with its quotation marks.
    ///   - lastModified: whole seconds count, as HTTP's dates have no others.
    public func conditional(
        for request: ServerRequest, eTag: String?, lastModified: Date? = nil
    ) -> ServerResponse {
        var response = self
        response.fields[.eTag] = eTag
        response.fields[.lastModified] = lastModified.map(HTTPDate.format)
        guard status == 200, request.method == .get || request.method == .head else { return response }
        let conditions = Conditions(eTag: eTag.flatMap(EntityTag.init), lastModified: lastModified)
        switch conditions.verdict(for: request.fields) {
        case .proceed: return response
        case .preconditionFailed:
            return .problem(Problems.preconditionFailed, fields: response.fields.keeping([.eTag, .lastModified]))
        case .notModified:
            // What a 200 would have said and a stored response may learn from (RFC 9110, section 15.4.5).
            let kept: [HTTPFieldName] = [
                .eTag, .lastModified, .cacheControl, .contentLocation, .date, .expires, .vary,
            ]
            // The body is not sent; its length is told, as a 200 would have.
            return ServerResponse(status: 304, fields: response.fields.keeping(kept), body: body)
        }
    }
}

/// A representation's validators, held against the conditions of a request (RFC 9110, section 13).
struct Conditions {
    /// What the conditions come to.
    enum Verdict { case proceed, notModified, preconditionFailed }

    var eTag: EntityTag?
    var lastModified: Date?

    func verdict(for fields: HTTPFields) -> Verdict {
        if let text = fields[.ifMatch] {
            guard let condition = EntityTagCondition(text), matchesStrongly(condition) else {
                return .preconditionFailed
            }
        } else if let since = date(fields[.ifUnmodifiedSince]), let modified = seconds(lastModified), modified > since {
            return .preconditionFailed
        }
        if let text = fields[.ifNoneMatch] {
            return EntityTagCondition(text)?.matchesWeakly(eTag) == true ? .notModified : .proceed
        }
        if let since = date(fields[.ifModifiedSince]), let modified = seconds(lastModified), modified <= since {
            return .notModified
        }
        return .proceed
    }

    /// Whether a `Range` may be answered in parts: `If-Range` is absent or names this very representation
    /// (RFC 9110, section 13.1.5).
    func allowsRange(for fields: HTTPFields) -> Bool {
        guard let text = fields[.ifRange] else { return true }
        if let tag = EntityTag(text) { return eTag.map { $0.isStronglyEqual(to: tag) } ?? false }
        return date(text) != nil && date(text) == seconds(lastModified)
    }

    private func matchesStrongly(_ condition: EntityTagCondition) -> Bool {
        switch condition {
        case .any: true
        case .tags(let tags): eTag.map { tag in tags.contains { $0.isStronglyEqual(to: tag) } } ?? false
        }
    }

    /// Two-digit years are read as of the modification, the only date at hand that the question is about.
    private func date(_ text: String?) -> Int? {
        text.flatMap { HTTPDate.parse($0, now: lastModified ?? .distantPast) }.flatMap(seconds)
    }

    private func seconds(_ date: Date?) -> Int? {
        date.map { Int($0.timeIntervalSince1970.rounded(.down)) }
    }
}

extension HTTPFields {
    /// The fields of these names alone.
    func keeping(_ names: [HTTPFieldName]) -> HTTPFields {
        HTTPFields(filter { names.contains($0.name) })
    }
}
