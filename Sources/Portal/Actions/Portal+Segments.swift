import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

extension Portal {
    /// Segments, their items and the runs of ingest.
    static func segments(_ context: PortalContext) -> [Route] {
        list(context) + detail(context) + itemActions(context)
    }

    private static func list(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func page(_ request: ServerRequest, _ session: AdminSession) async throws -> SegmentsPage {
            let app = try await controlPlane.app(id: request.parameter("app"))
            let progress = try await controlPlane.progress(appID: app.id).map(\.progress)
            var rows: [SegmentsPage.Row] = []
            for segment in try await controlPlane.segments(appID: app.id) {
                let items = try await controlPlane.items(appID: app.id, segment: segment.name)
                rows.append(
                    SegmentsPage.Row(
                        segment: segment, itemCounts: Dictionary(grouping: items, by: \.state).mapValues(\.count),
                        byteCount: items.reduce(0) { $0 + $1.byteCount },
                        deviceCount: progress.count {
                            $0.isActive && $0.segment == segment.name && $0.version == segment.publishedVersion
                        }))
            }
            return SegmentsPage(session: session, app: app, rows: rows)
        }
        return [
            context.page("/apps/{app}/segments") { request, session in try await page(request, session).html },
            context.action("/apps/{app}/segments") { request, session, form in
                let app = request.parameter("app")
                do {
                    let segment = try await controlPlane.createSegment(
                        appID: app, name: form["name"], note: form["note"])
                    return PortalContext.redirect(to: PortalPath.segment(app, name: segment.name).string)
                } catch let problem as ProblemDocument {
                    var again = try await page(request, session)
                    (again.name, again.note, again.error) = (form["name"], form["note"], problem.detail)
                    return PortalContext.answer(again.html, status: problem.status)
                }
            },
        ]
    }

    private static func segmentPage(
        _ context: PortalContext, _ request: ServerRequest, _ session: AdminSession
    ) async throws -> SegmentPage {
        let controlPlane = context.controlPlane
        let app = try await controlPlane.app(id: request.parameter("app"))
        let segment = try await controlPlane.segment(appID: app.id, name: request.parameter("segment"))
        return SegmentPage(
            session: session, app: app, segment: segment,
            items: try await controlPlane.items(appID: app.id, segment: segment.name),
            filter: request.queryValue("state").flatMap(SegmentItem.State.init),
            page: max(0, min(100_000, request.queryValue("page").flatMap { Int($0) } ?? 0)),
            jobs: try await controlPlane.ingestJobs(appID: app.id, limit: 100).filter { $0.segment == segment.name })
    }

    private static func detail(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        return [
            context.page("/apps/{app}/segments/{segment}") { request, session in
                try await segmentPage(context, request, session).html
            },
            context.action("/apps/{app}/segments/{segment}/ingest") { request, session, form in
                let (app, segment) = (request.parameter("app"), request.parameter("segment"))
                let urls = form["urls"].split(whereSeparator: \.isNewline).map {
                    String($0.filter { !$0.isWhitespace })
                }
                .filter { !$0.isEmpty }
                do {
                    guard urls.isEmpty != form["sitemap"].isEmpty else {
                        throw ProblemDocument(
                            type: "/problems/invalid-source", title: "One source, please", status: 422,
                            detail: "Paste URLs or give a sitemap: one of the two.")
                    }
                    let source: IngestSource = urls.isEmpty ? .sitemap(form["sitemap"]) : .urls(urls)
                    _ = try await controlPlane.startIngest(
                        appID: app, segment: segment, source: source, replacesItems: form["replace"] == "true")
                    return PortalContext.redirect(to: PortalPath.segment(app, name: segment).string)
                } catch let problem as ProblemDocument {
                    var again = try await segmentPage(context, request, session)
                    (again.ingestURLs, again.ingestSitemap) = (form.raw("urls"), form["sitemap"])
                    again.error = problem.detail
                    return PortalContext.answer(again.html, status: problem.status)
                }
            },
            context.page("/apps/{app}/segments/{segment}/remove") { request, session in
                let page = try await segmentPage(context, request, session)
                return RemoveSegmentPage(session: session, app: page.app, segment: page.segment).html
            },
            context.action("/apps/{app}/segments/{segment}/remove") { request, _, _ in
                let app = request.parameter("app")
                try await controlPlane.removeSegment(appID: app, name: request.parameter("segment"))
                return PortalContext.redirect(to: PortalPath.segments(app).string)
            },
        ]
    }

    private static func itemActions(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        return [
            context.action("/apps/{app}/segments/{segment}/items/edit") { request, _, form in
                let (app, segment) = (request.parameter("app"), request.parameter("segment"))
                guard let priority = Int(form["priority"]), (0...9).contains(priority) else {
                    throw ProblemDocument(
                        type: "/problems/invalid-priority", title: "Priority out of range", status: 422,
                        detail: "A priority is a whole number from 0 (downloads first) to 9.")
                }
                _ = try await controlPlane.updateItem(
                    appID: app, segment: segment, url: form["url"], priority: priority,
                    isEssential: form["essential"] == "true")
                return PortalContext.redirect(to: PortalPath.segment(app, name: segment).string)
            },
            context.action("/apps/{app}/segments/{segment}/items/remove") { request, _, form in
                let (app, segment) = (request.parameter("app"), request.parameter("segment"))
                try await controlPlane.removeItem(appID: app, segment: segment, url: form["url"])
                return PortalContext.redirect(to: PortalPath.segment(app, name: segment).string)
            },
        ]
    }

    /// Releases: history, publication, the way back.
    static func releases(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func history(_ request: ServerRequest, _ session: AdminSession) async throws -> ReleasesPage {
            let app = try await controlPlane.app(id: request.parameter("app"))
            return ReleasesPage(
                session: session, app: app, releases: try await controlPlane.releases(appID: app.id, limit: 100))
        }
        return [
            context.page("/apps/{app}/releases") { request, session in
                var page = try await history(request, session)
                if request.queryValue("published") != nil {
                    page.notice =
                        "Release \(page.releases.first?.release.version ?? 0) is out. Devices pick it up at their next sync."
                }
                return page.html
            },
            context.page("/apps/{app}/releases/publish") { request, session in
                let app = try await controlPlane.app(id: request.parameter("app"))
                return PublishPage(
                    session: session, app: app, preview: try await controlPlane.publicationPreview(appID: app.id)
                ).html
            },
            context.action("/apps/{app}/releases/publish") { request, session, _ in
                let app = request.parameter("app")
                _ = try await controlPlane.publish(appID: app, by: session.administrator)
                return PortalContext.redirect(to: PortalPath.releases(app).string + "?published=1")
            },
            context.action("/apps/{app}/releases/roll-back") { request, session, form in
                let app = request.parameter("app")
                do {
                    let version = Int(form["version"]) ?? 0
                    _ = try await controlPlane.rollBack(appID: app, toVersion: version, by: session.administrator)
                    return PortalContext.redirect(to: PortalPath.releases(app).string + "?published=1")
                } catch let problem as ProblemDocument {
                    var page = try await history(request, session)
                    page.error = problem.detail
                    return PortalContext.answer(page.html, status: problem.status)
                }
            },
        ]
    }
}
