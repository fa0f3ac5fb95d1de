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
    private static let pinFailureSeconds = 7.0 * 86_400

    /// An app's settings, those of single segments, and its pins.
    static func settings(_ context: PortalContext) -> [Route] {
        [
            context.page("/apps/{app}/settings") { request, session in
                var page = try await settingsPage(context, request, session)
                if request.queryValue("saved") != nil { page.notice = "Saved." }
                return page.html
            },
            context.action("/apps/{app}/settings") { request, session, form in
                try await saveSettings(context, request, session, form)
            },
        ] + segmentRules(context) + pins(context)
    }

    private static func settingsPage(
        _ context: PortalContext, _ request: ServerRequest, _ session: AdminSession
    ) async throws -> SettingsPage {
        let controlPlane = context.controlPlane
        let app = try await controlPlane.app(id: request.parameter("app"))
        let now = context.timekeeper.now
        return SettingsPage(
            session: session, app: app, segments: try await controlPlane.segments(appID: app.id),
            published: try await controlPlane.currentRelease(appID: app.id)?.release,
            pinFailures: try await controlPlane.pinFailures(
                appID: app.id, from: now.addingTimeInterval(-pinFailureSeconds), to: now.addingTimeInterval(1)),
            now: now,
            form: FormState(
                AppForm(name: app.name, bundleID: app.bundleID, settings: app.settings), AppForm.fields))
    }

    private static func saveSettings(
        _ context: PortalContext, _ request: ServerRequest, _ session: AdminSession, _ form: Form
    ) async throws -> ServerResponse {
        var page = try await settingsPage(context, request, session)
        var typed = AppForm(name: page.app.name, bundleID: page.app.bundleID, settings: page.app.settings)
        page.form = FormState(form, into: &typed, AppForm.fields)
        let faults = try await context.controlPlane.faults(in: typed.settings, ofApp: page.app.id)
        page.problems = page.form.note(faults)
        if page.form.errors.isEmpty, page.problems.isEmpty {
            do {
                _ = try await context.controlPlane.updateApp(
                    id: page.app.id, name: typed.name, bundleID: typed.bundleID, settings: typed.settings)
                return PortalContext.redirect(to: PortalPath.settings(page.app.id).string + "?saved=1")
            } catch let problem as ProblemDocument where problem.status == 422 {
                let field = problem.type.hasSuffix("-bundle-id") ? "bundleID" : "name"
                page.form.errors[field] = problem.detail
            }
        }
        return PortalContext.answer(page.html, status: 422)
    }

    // MARK: - Segments

    private static func segmentRules(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func page(_ request: ServerRequest, _ session: AdminSession) async throws -> SegmentRulesPage {
            let app = try await controlPlane.app(id: request.parameter("app"))
            let name = request.parameter("segment")
            if app.policy.segments[name] == nil { _ = try await controlPlane.segment(appID: app.id, name: name) }
            return SegmentRulesPage(
                session: session, app: app, name: name,
                form: FormState(rules(of: name, app), SegmentForm.fields))
        }
        @Sendable func rules(of name: String, _ app: App) -> SegmentForm {
            SegmentForm(app.policy.segments[name] ?? SegmentPolicy(), standard: app.policy)
        }
        return [
            context.page("/apps/{app}/settings/segments/{segment}") { request, session in
                try await page(request, session).html
            },
            context.action("/apps/{app}/settings/segments/{segment}") { request, session, form in
                var page = try await page(request, session)
                var typed = rules(of: page.name, page.app)
                page.form = FormState(form, into: &typed, SegmentForm.fields)
                var settings = page.app.settings
                settings.policy.segments[page.name] = typed.rules
                let faults = try await controlPlane.faults(in: settings, ofApp: page.app.id)
                page.problems =
                    page.form.note(faults, below: "/policy/segments/\(page.name)")
                    + typed.ignored(since: rules(of: page.name, page.app))
                guard page.form.errors.isEmpty, page.problems.isEmpty else {
                    return PortalContext.answer(page.html, status: 422)
                }
                return try await save(settings, of: page.app, section: "segments", controlPlane)
            },
        ]
    }

    // MARK: - Pins

    private static func pins(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func app(_ request: ServerRequest) async throws -> App {
            try await controlPlane.app(id: request.parameter("app"))
        }
        @Sendable func index(_ request: ServerRequest, _ app: App) throws -> Int {
            let host = request.parameter("host")
            guard let index = app.pins.firstIndex(where: { $0.host == host }) else {
                throw ProblemDocument(
                    type: "/problems/not-found", title: "No such rule", status: 404,
                    detail: "\(app.name) has no pins for this host. They may have been removed meanwhile.")
            }
            return index
        }
        return [
            context.page("/apps/{app}/settings/pins") { request, session in
                PinRulePage(
                    session: session, app: try await app(request), form: FormState(PinForm(), PinForm.fields)
                ).html
            },
            context.action("/apps/{app}/settings/pins") { request, session, form in
                let app = try await app(request)
                return try await savePin(form, at: nil, of: app, session, controlPlane)
            },
            context.page("/apps/{app}/settings/pins/{host}") { request, session in
                let app = try await app(request)
                let rule = app.pins[try index(request, app)]
                return PinRulePage(
                    session: session, app: app, host: rule.host, form: FormState(PinForm(rule), PinForm.fields)
                ).html
            },
            context.action("/apps/{app}/settings/pins/{host}") { request, session, form in
                let app = try await app(request)
                return try await savePin(form, at: try index(request, app), of: app, session, controlPlane)
            },
            context.action("/apps/{app}/settings/pins/{host}/remove") { request, _, _ in
                let app = try await app(request)
                var settings = app.settings
                settings.pins.remove(at: try index(request, app))
                return try await save(settings, of: app, section: "pins", controlPlane)
            },
        ]
    }

    private static func savePin(
        _ form: Form, at index: Int?, of app: App, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let stored = index.map { app.pins[$0] }
        var typed = stored.map { PinForm($0) } ?? PinForm()
        var page = PinRulePage(session: session, app: app, host: stored?.host, form: FormState(typed, PinForm.fields))
        page.form = FormState(form, into: &typed, PinForm.fields)
        var settings = app.settings
        let rule = typed.rule(replacing: stored)
        if let index { settings.pins[index] = rule } else { settings.pins.append(rule) }
        let place = "/pins/\(index ?? settings.pins.count - 1)"
        page.problems = page.form.note(try await controlPlane.faults(in: settings, ofApp: app.id), below: place)
        guard page.form.errors.isEmpty, page.problems.isEmpty else {
            return PortalContext.answer(page.html, status: 422)
        }
        return try await save(settings, of: app, section: "pins", controlPlane)
    }

    private static func save(
        _ settings: AppSettings, of app: App, section: String, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        _ = try await controlPlane.updateApp(id: app.id, name: app.name, bundleID: app.bundleID, settings: settings)
        return PortalContext.redirect(to: PortalPath.settings(app.id).string + "?saved=1#\(section)")
    }
}
