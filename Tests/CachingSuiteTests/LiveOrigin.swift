import Foundation
import HTTPModel
import TestSupport

/// An origin with resources that change, as origins do: it judges conditions, sends parts, and fails at times.
struct LiveOrigin {
    /// How the origin behaves during one step of a history.
    enum Mood: Sendable, CaseIterable {
        case well, knowsNoConditions, knowsNoRanges, fails, breaksOff, isAway
    }

    /// What a resource is: its body and the fields that guide caches.
    struct Resource: Sendable {
        var version = 0
        var path: String
        var fields: HTTPFields
        var isTagWeak = false

        var text: String { "\(path) \(version) 0123456789" }
        var tag: String { "\(isTagWeak ? "W/" : "")\"\(version)\"" }
    }

    var resources: [String: Resource] = [:]
    var mood = Mood.well
    var now = CachingCase.start
    /// What it saw since the step began.
    private(set) var seen: [HTTPRequest] = []

    /// Begins a step: time goes on, and a resource may have changed.
    mutating func begin(_ mood: Mood, now: Date, changing path: String?) {
        (self.mood, self.now, seen) = (mood, now, [])
        if let path { resources[path]?.version += 1 }
    }

    mutating func answer(to request: HTTPRequest) -> CachingOriginAnswer? {
        seen.append(request)
        guard mood != .isAway else { return nil }
        let path = String(request.url.string.dropFirst("http://example.com".count))
        guard mood != .fails, let resource = resources[path] else { return answer(503, [:], "busy") }
        guard request.method == .get || request.method == .head else {
            resources[path]?.version += 1
            return answer(204, [:], "")
        }
        var fields = resource.fields
        if !fields.contains(.eTag) { fields.append(.eTag, resource.tag) }
        if mood != .knowsNoConditions, let condition = request.fields[.ifNoneMatch].flatMap({ EntityTagCondition($0) }),
            condition.matchesWeakly(EntityTag(resource.tag))
        {
            return answer(304, fields, "")
        }
        if let variant = fields[.vary].flatMap({ HTTPFieldName($0) }) {
            fields.append("X-For", request.fields[variant] ?? "-")
        }
        return whole(resource, fields, request)
    }

    private func whole(_ resource: Resource, _ fields: HTTPFields, _ request: HTTPRequest) -> CachingOriginAnswer {
        var fields = fields
        let text = resource.text
        let holds = request.fields[.ifRange].map { $0 == resource.tag && !resource.isTagWeak } ?? true
        if request.method == .get, holds, mood != .knowsNoRanges,
            let range = request.fields[.range].flatMap({ ByteRange($0) })
        {
            let offsets = range.resolved(in: Int64(text.utf8.count))
            let content = ContentRange(range: offsets, completeByteCount: Int64(text.utf8.count))
            fields[.contentRange] = content?.description
            guard let offsets else { return answer(416, fields, "") }
            fields.append(.contentLength, String(offsets.count))
            return answer(206, fields, String(text.dropFirst(Int(offsets.lowerBound)).prefix(offsets.count)))
        }
        fields.append(.contentLength, String(text.utf8.count))
        return answer(200, fields, request.method == .head ? "" : text)
    }

    private func answer(_ status: Int, _ fields: HTTPFields, _ text: String) -> CachingOriginAnswer {
        var fields = fields
        fields.append(.date, HTTPDate.format(now))
        let isBroken = mood == .breaksOff && text.utf8.count > 4
        return CachingOriginAnswer(
            response: HTTPResponse(status: status, fields: fields),
            text: isBroken ? String(text.prefix(text.utf8.count / 2)) : text, isBroken: isBroken)
    }
}
