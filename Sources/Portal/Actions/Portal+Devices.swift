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
    /// An app's devices, and what a single one did.
    static func devices(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        @Sendable func device(_ request: ServerRequest) async throws -> (App, Device) {
            let app = try await controlPlane.app(id: request.parameter("app"))
            return (app, try await controlPlane.device(appID: app.id, id: request.parameter("device")))
        }
        return [
            context.page("/apps/{app}/devices") { request, session in
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
            },
            context.page("/apps/{app}/devices/{device}") { request, session in
                let (app, device) = try await device(request)
                return DevicePage(
                    session: session, app: app, device: device,
                    progress: try await controlPlane.progress(appID: app.id).filter { $0.deviceID == device.id }
                        .map(\.progress),
                    timeline: try await controlPlane.timeline(appID: app.id, deviceID: device.id),
                    now: context.timekeeper.now
                ).html
            },
            context.page("/apps/{app}/devices/{device}/forget") { request, session in
                let (app, device) = try await device(request)
                return ForgetDevicePage(session: session, app: app, device: device).html
            },
            context.action("/apps/{app}/devices/{device}/forget") { request, _, _ in
                let app = request.parameter("app")
                try await controlPlane.forgetDevice(appID: app, id: request.parameter("device"))
                return PortalContext.redirect(to: PortalPath.devices(app).string)
            },
        ]
    }

    /// The app's own events.
    static func events(_ context: PortalContext) -> [Route] {
        let controlPlane = context.controlPlane
        return [
            context.page("/apps/{app}/events") { request, session in
                let app = try await controlPlane.app(id: request.parameter("app"))
                let span = request.queryValue("span").flatMap(DashboardPage.Span.init) ?? .day
                let now = context.timekeeper.now
                return EventsPage(
                    session: session, app: app, span: span,
                    events: try await controlPlane.eventStatistics(
                        appID: app.id, from: now.addingTimeInterval(-span.seconds), to: now.addingTimeInterval(1)),
                    devices: try await controlPlane.devices(appID: app.id, limit: 5, offset: 0), now: now
                ).html
            }
        ]
    }
}
