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
        let policyBody = try body.optionalObject("policy")
        try body.finish()
        let app = try await controlPlane.app(id: request.parameter("app"))
        let policy = try policyBody.map { try changed(app.policy, by: $0) } ?? app.policy
        return try answer(
            try await controlPlane.updateApp(
                id: app.id, name: name ?? app.name, bundleID: bundleID ?? app.bundleID, policy: policy))
    }

    private static func changed(_ policy: DownloadPolicy, by body: JSONReader) throws -> DownloadPolicy {
        var body = body
        var policy = policy
        if let bytes = try body.optionalInteger("fileByteCountMax", in: 1...Int64.max) {
            policy.fileByteCountMax = bytes
        }
        if let count = try body.optionalInteger("concurrentDownloadsMax", in: 1...64) {
            policy.concurrentDownloadsMax = Int(count)
        }
        if let seconds = try body.optionalInteger("syncIntervalSeconds", in: 1...2_592_000) {
            policy.syncIntervalSeconds = Int(seconds)
        }
        if let isEnabled = try body.optionalBool("isEnabled") { policy.isEnabled = isEnabled }
        let isUnlimited = body.isNull("bytesPerSecondMax")
        if let rate = try body.optionalInteger("bytesPerSecondMax", in: 1...Int64.max) {
            policy.bytesPerSecondMax = rate
        } else if isUnlimited {
            policy.bytesPerSecondMax = nil
        }
        try body.finish()
        return policy
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
