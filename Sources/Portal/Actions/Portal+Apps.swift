import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Portal {
    /// The list of apps and the dashboard of one.
    static func apps(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func page(_ session: AdminSession) async throws -> AppsPage {
            var rows: [AppsPage.Row] = []
            for app in try await controlPlane.apps() {
                rows.append(
                    AppsPage.Row(
                        app: app, deviceCount: try await controlPlane.deviceCount(appID: app.id),
                        segmentCount: try await controlPlane.segments(appID: app.id).count,
                        releaseVersion: try await controlPlane.currentRelease(appID: app.id)?.release.version))
            }
            return AppsPage(session: session, rows: rows)
        }
        return [
            context.page("/apps") { _, session in try await page(session).html },
            context.action("/apps") { _, session, form in
                do {
                    let app = try await controlPlane.createApp(name: form["name"], bundleID: form["bundleID"])
                    return PortalContext.redirect(to: PortalPath.app(app.id).string)
                } catch let problem as ProblemDocument {
                    var again = try await page(session)
                    (again.name, again.bundleID, again.error) = (form["name"], form["bundleID"], problem.detail)
                    return PortalContext.answer(again.html, status: problem.status)
                }
            },
            context.page("/apps/{app}") { request, session in
                try await dashboard(context, session, request).html
            },
        ]
    }

    private static func dashboard(
        _ context: PortalContext, _ session: AdminSession, _ request: ServerRequest
    ) async throws -> DashboardPage {
        let app = try await context.controlPlane.app(id: request.parameter("app"))
        let span = request.queryValue("span").flatMap(DashboardPage.Span.init) ?? .day
        let now = context.timekeeper.now
        let statistics = try await context.controlPlane.statistics(
            appID: app.id, from: now.addingTimeInterval(-span.seconds), to: now.addingTimeInterval(1),
            sliceCount: span.sliceCount)
        let release = try await context.controlPlane.currentRelease(appID: app.id)?.release
        let progress = try await context.controlPlane.progress(appID: app.id).map(\.progress)
        let readiness = (release?.segments ?? []).map { segment in
            let reports = progress.filter { $0.segment == segment.name }
            return (segment.name, reports.count { $0.isActive && $0.version == segment.version }, reports.count)
        }
        let pinFailures = try await context.controlPlane.pinFailures(
            appID: app.id, from: now.addingTimeInterval(-span.seconds), to: now.addingTimeInterval(1))
        return DashboardPage(
            session: session, app: app, span: span, statistics: statistics, release: release, readiness: readiness,
            pinFailureCount: pinFailures.reduce(0) { $0 + $1.count })
    }

    static func keys(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func page(_ request: ServerRequest, _ session: AdminSession) async throws -> KeysPage {
            let app = try await controlPlane.app(id: request.parameter("app"))
            let scheme = request.fields["X-Forwarded-Proto"]?.lowercased() == "https" ? "https" : "http"
            return KeysPage(
                session: session, app: app, keys: try await controlPlane.apiKeys(appID: app.id),
                serverURL: "\(scheme)://\(request.fields[.host] ?? "larder.example.com")")
        }
        return [
            context.page("/apps/{app}/keys") { request, session in try await page(request, session).html },
            context.action("/apps/{app}/keys") { request, session, form in
                do {
                    _ = try await controlPlane.createAPIKey(appID: request.parameter("app"), name: form["name"])
                } catch let problem as ProblemDocument where problem.status == 422 || problem.status == 400 {
                    var again = try await page(request, session)
                    again.error = problem.detail
                    return PortalContext.answer(again.html, status: problem.status)
                }
                return PortalContext.redirect(to: PortalPath.keys(request.parameter("app")).string)
            },
            context.page("/apps/{app}/keys/{key}/revoke") { request, session in
                let found = try await page(request, session)
                guard let key = found.keys.first(where: { $0.key == request.parameter("key") }) else {
                    throw ProblemDocument(
                        type: "/problems/not-found", title: "No such key", status: 404,
                        detail: "\(found.app.name) has no such key. It may belong to another app.")
                }
                return RevokeKeyPage(session: session, app: found.app, key: key).html
            },
            context.action("/apps/{app}/keys/{key}/revoke") { request, _, _ in
                let app = request.parameter("app")
                _ = try await controlPlane.revokeAPIKey(appID: app, key: request.parameter("key"))
                return PortalContext.redirect(to: PortalPath.keys(app).string)
            },
        ]
    }
}
