public import ControlModel
import Wire

extension ControlPlane {
    /// The segments of an app, by name.
    public func segments(appID: String) async throws -> [Segment] {
        try await repository.segments(appID: app(id: appID).id)
    }

    /// - Throws: a 404 problem.
    public func segment(appID: String, name: String) async throws -> Segment {
        let app = try await app(id: appID)
        guard let segment = try await repository.segment(appID: app.id, name: name) else {
            throw ProblemDocument.unknown("segment", name, hint: "List the app's segments to find the right name.")
        }
        return segment
    }

    /// Makes an empty segment. Names are 1 to 64 of letters, digits, `.`, `_`, `-`.
    /// - Throws: a 404 problem; a 422 problem for an unusable name or note; a 409 problem when the name is taken or the app
    ///   has as many segments as allowed.
    public func createSegment(appID: String, name: String, note: String) async throws -> Segment {
        let app = try await app(id: appID)
        let name = try Validation.segmentName(name)
        let note = try Validation.text(note, field: "note", of: 0...500)
        let existing = try await repository.segments(appID: app.id)
        guard !existing.contains(where: { $0.name == name }) else {
            throw ProblemDocument.conflict(
                "segment-exists", "Segment exists", "The app has a segment \"\(name)\" already. Choose another name.")
        }
        guard existing.count < configuration.segmentsPerAppMax else {
            throw ProblemDocument.conflict(
                "too-many-segments", "Too many segments",
                "An app has \(configuration.segmentsPerAppMax) segments at most. Remove one first.")
        }
        let segment = Segment(appID: app.id, name: name, note: note, createdAt: now)
        try await repository.save(segment)
        return segment
    }

    /// Removes a segment, its items, its own rules and the ingest under way; devices lose it with the next publication.
    /// - Throws: a 404 problem.
    public func removeSegment(appID: String, name: String) async throws {
        let segment = try await segment(appID: appID, name: name)
        await ingests.cancel(appID: segment.appID, segment: segment.name)
        try await repository.removeSegment(appID: segment.appID, name: segment.name)
        var app = try await app(id: appID)
        if app.policy.segments.removeValue(forKey: segment.name) != nil { try await repository.save(app) }
    }

    /// The items of a segment, by priority, then URL.
    public func items(appID: String, segment: String) async throws -> [SegmentItem] {
        let segment = try await self.segment(appID: appID, name: segment)
        return try await repository.items(appID: segment.appID, segment: segment.name)
    }

    /// Sets when an item downloads (0 first, up to 9,999) and whether its segment waits for it.
    /// - Throws: a 404 problem; a 422 problem for a priority out of range; a 409 problem while an ingest runs.
    public func updateItem(
        appID: String, segment: String, url: String, priority: Int, isEssential: Bool
    ) async throws -> SegmentItem {
        var item = try await editableItem(appID: appID, segment: segment, url: url)
        guard (0...9_999).contains(priority) else {
            throw ProblemDocument.invalid("priority", "A priority is 0 (downloads first) to 9,999.")
        }
        item.priority = priority
        item.isEssential = isEssential
        try await repository.save([item])
        return item
    }

    /// Takes an item out of a segment.
    /// - Throws: a 404 problem; a 409 problem while an ingest runs.
    public func removeItem(appID: String, segment: String, url: String) async throws {
        let item = try await editableItem(appID: appID, segment: segment, url: url)
        try await repository.removeItem(appID: item.appID, segment: item.segment, url: item.url)
    }

    private func editableItem(appID: String, segment: String, url: String) async throws -> SegmentItem {
        let items = try await items(appID: appID, segment: segment)
        guard let item = items.first(where: { $0.url == url }) else {
            throw ProblemDocument.unknown("item", url, hint: "List the segment's items to find the right URL.")
        }
        guard !ingests.isRunning(appID: appID, segment: segment) else {
            throw ProblemDocument.conflict(
                "ingest-running", "Ingest running",
                "An ingest into the segment \"\(segment)\" is running. Change its items when it has ended.")
        }
        return item
    }
}
