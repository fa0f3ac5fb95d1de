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
        return DashboardPage(
            session: session, app: app, span: span, statistics: statistics, release: release, readiness: readiness)
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

    static func devices(_ context: PortalContext) -> [Route] {
        [
            context.page("/apps/{app}/devices") { request, session in
                let controlPlane = context.controlPlane
                let app = try await controlPlane.app(id: request.parameter("app"))
                let page = max(0, min(1_000_000, request.queryValue("page").flatMap { Int($0) } ?? 0))
                let devices = try await controlPlane.devices(
                    appID: app.id, limit: DevicesPage.devicesPerPage, offset: page * DevicesPage.devicesPerPage)
                let progress = Dictionary(grouping: try await controlPlane.progress(appID: app.id), by: \.deviceID)
                return DevicesPage(
                    session: session, app: app,
                    rows: devices.map { .init(device: $0, progress: progress[$0.id]?.map(\.progress) ?? []) },
                    deviceCount: try await controlPlane.deviceCount(appID: app.id), page: page,
                    now: context.timekeeper.now
                ).html
            }
        ]
    }

    static func settings(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        return [
            context.page("/apps/{app}/settings") { request, session in
                let app = try await controlPlane.app(id: request.parameter("app"))
                let notice =
                    request.queryValue("saved") == nil ? nil : "Saved. Publish to send new limits to the devices."
                return SettingsPage(session: session, app: app, form: .init(app), notice: notice).html
            },
            context.action("/apps/{app}/settings") { request, session, form in
                let app = try await controlPlane.app(id: request.parameter("app"))
                var page = SettingsPage(session: session, app: app, form: .init(app))
                page.form.name = form["name"]
                page.form.bundleID = form["bundleID"]
                page.form.fileMegabytesMax = form["fileMegabytesMax"]
                page.form.concurrentDownloadsMax = form["concurrentDownloadsMax"]
                page.form.syncIntervalSeconds = form["syncIntervalSeconds"]
                page.form.kilobytesPerSecondMax = form["kilobytesPerSecondMax"]
                page.form.isEnabled = form["isEnabled"] == "true"
                do {
                    var settings = app.settings
                    settings.policy = try page.form.policy(from: app.policy)
                    _ = try await controlPlane.updateApp(
                        id: app.id, name: page.form.name, bundleID: page.form.bundleID, settings: settings)
                    return PortalContext.redirect(to: PortalPath.settings(app.id).string + "?saved=1")
                } catch let errors as SettingsPage.FieldErrors {
                    page.errors = errors.messages
                    return PortalContext.answer(page.html, status: 422)
                } catch let problem as ProblemDocument {
                    page.error = problem.detail
                    return PortalContext.answer(page.html, status: problem.status)
                }
            },
        ]
    }
}
