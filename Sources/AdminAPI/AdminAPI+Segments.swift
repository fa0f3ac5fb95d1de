import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

extension AdminAPI {
    private struct Segments: Encodable { var segments: [Segment] }
    private struct Items: Encodable { var items: [SegmentItem] }

    static func listSegments(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(Segments(segments: try await controlPlane.segments(appID: request.parameter("app"))))
    }

    static func createSegment(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var body = try JSONReader(request)
        let name = try body.string("name", characters: 1...64)
        let note = try body.optionalString("note", characters: 0...1_000) ?? ""
        try body.finish()
        let app = request.parameter("app")
        let segment = try await controlPlane.createSegment(appID: app, name: name, note: note)
        return try answer(segment, status: 201, location: "/v1/admin/apps/\(app)/segments/\(segment.name)")
    }

    static func showSegment(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(
            try await controlPlane.segment(appID: request.parameter("app"), name: request.parameter("segment")))
    }

    static func removeSegment(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try await controlPlane.removeSegment(appID: request.parameter("app"), name: request.parameter("segment"))
        return done
    }

    static func listItems(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let items = try await controlPlane.items(
            appID: request.parameter("app"), segment: request.parameter("segment"))
        return try answer(Items(items: items))
    }

    /// Changes what the body names of the item whose URL the query names.
    static func updateItem(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let url = try itemURL(request)
        var body = try JSONReader(request)
        let priority = try body.optionalInteger("priority", in: 0...9_999)
        let isEssential = try body.optionalBool("isEssential")
        try body.finish()
        let app = request.parameter("app"), segment = request.parameter("segment")
        guard let item = try await controlPlane.items(appID: app, segment: segment).first(where: { $0.url == url })
        else {
            throw ProblemDocument(
                type: "/problems/unknown-item", title: "Unknown item", status: 404,
                detail: "The segment \"\(segment)\" has no item of that URL.")
        }
        return try answer(
            try await controlPlane.updateItem(
                appID: app, segment: segment, url: url, priority: priority.map { Int($0) } ?? item.priority,
                isEssential: isEssential ?? item.isEssential))
    }

    static func removeItem(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try await controlPlane.removeItem(
            appID: request.parameter("app"), segment: request.parameter("segment"), url: try itemURL(request))
        return done
    }

    /// Items are named by their URL in the query: URLs do not go into paths.
    private static func itemURL(_ request: ServerRequest) throws -> String {
        var query = QueryReader(request)
        let url = try query.string("url")
        try query.finish()
        guard let url, !url.isEmpty else {
            throw ProblemDocument(
                type: "/problems/invalid-query", title: "Invalid query", status: 400,
                detail: "url: expected the URL of an item, percent-encoded, found nothing.")
        }
        return url
    }
}
