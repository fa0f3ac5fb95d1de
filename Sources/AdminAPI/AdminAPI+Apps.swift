import ControlModel
import ControlPlane
import HTTPModel
import HTTPServer
import Wire

extension AdminAPI {
    private struct Apps: Encodable { var apps: [App] }
    private struct Keys: Encodable { var keys: [APIKey] }

    static func listApps(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(Apps(apps: try await controlPlane.apps()))
    }

    static func createApp(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var body = try JSONReader(request)
        let name = try body.string("name", characters: 1...200)
        let bundleID = try body.string("bundleID", characters: 1...200)
        try body.finish()
        let app = try await controlPlane.createApp(name: name, bundleID: bundleID)
        return try answer(app, status: 201, location: "/v1/admin/apps/\(app.id)")
    }

    static func showApp(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(try await controlPlane.app(id: request.parameter("app")))
    }

    /// Changes what the body names and leaves the rest.
    static func updateApp(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var body = try JSONReader(request)
        let name = try body.optionalString("name", characters: 1...200)
        let bundleID = try body.optionalString("bundleID", characters: 1...200)
        let app = try await controlPlane.app(id: request.parameter("app"))
        var settings = app.settings
        try SettingsPatch.apply(&body, to: &settings)
        try body.finish()
        return try answer(
            try await controlPlane.updateApp(
                id: app.id, name: name ?? app.name, bundleID: bundleID ?? app.bundleID, settings: settings))
    }

    static func listKeys(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(Keys(keys: try await controlPlane.apiKeys(appID: request.parameter("app"))))
    }

    static func createKey(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        var body = try JSONReader(request)
        let name = try body.string("name", characters: 1...200)
        try body.finish()
        return try answer(
            try await controlPlane.createAPIKey(appID: request.parameter("app"), name: name), status: 201)
    }

    static func revokeKey(
        _ request: ServerRequest, _ session: AdminSession, _ controlPlane: ControlPlane
    ) async throws -> ServerResponse {
        try answer(
            try await controlPlane.revokeAPIKey(appID: request.parameter("app"), key: request.parameter("key")))
    }
}
