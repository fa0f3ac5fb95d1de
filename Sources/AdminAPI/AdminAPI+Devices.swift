import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension AdminAPI {
    private struct Devices: Encodable {
        var devices: [RegisteredDevice]
        var total: Int
        var limit: Int
        var offset: Int
    }

    /// A device as the API shows it: without what its token could be checked against, and without its push token.
    private struct RegisteredDevice: Encodable {
        var id: String
        var appID: String
        var apiKey: String
        var platform: String
        var sdkVersion: String
        var registeredAt: Date
        var lastSeenAt: Date
        /// The service that its notifications go through; `nil` when it has none.
        var pushService: String?
    }

    private struct Progress: Encodable { var progress: [DeviceProgress] }

    private struct DeviceProgress: Encodable {
        var deviceID: String
        var segment: String
        var version: Int
        var itemsReady: Int
        var itemsFailed: Int
        var itemsTotal: Int
        var isActive: Bool
        var date: Date
    }

    static func listDevices(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var query = QueryReader(request)
        let limit = try query.integer("limit", in: 1...1_000, default: 100)
        let offset = try query.integer("offset", in: 0...Int(Int32.max), default: 0)
        try query.finish()
        let app = request.parameter("app")
        let devices = try await controlPlane.devices(appID: app, limit: limit, offset: offset).map { device in
            RegisteredDevice(
                id: device.id, appID: device.appID, apiKey: device.apiKey, platform: device.platform,
                sdkVersion: device.sdkVersion, registeredAt: device.registeredAt, lastSeenAt: device.lastSeenAt,
                pushService: device.pushToken?.service)
        }
        let total = try await controlPlane.deviceCount(appID: app)
        return try answer(Devices(devices: devices, total: total, limit: limit, offset: offset))
    }

    static func listProgress(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        let progress = try await controlPlane.progress(appID: request.parameter("app")).map { line in
            DeviceProgress(
                deviceID: line.deviceID, segment: line.progress.segment, version: line.progress.version,
                itemsReady: line.progress.itemsReady, itemsFailed: line.progress.itemsFailed,
                itemsTotal: line.progress.itemsTotal, isActive: line.progress.isActive, date: line.progress.date)
        }
        return try answer(Progress(progress: progress))
    }

    static func forgetDevice(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try await controlPlane.forgetDevice(appID: request.parameter("app"), id: request.parameter("device"))
        return done
    }
}
