public import ControlModel
import Wire

extension ControlPlane {
    /// Every app, by name.
    public func apps() async throws -> [App] { try await repository.apps() }

    /// - Throws: a 404 problem.
    public func app(id: String) async throws -> App {
        guard let app = try await repository.app(id: id) else {
            throw ProblemDocument.unknown("app", id, hint: "List the apps to find the right id.")
        }
        return app
    }

    /// Makes an app with the default settings.
    /// - Throws: a 422 problem for an unusable name or bundle id.
    public func createApp(name: String, bundleID: String) async throws -> App {
        let app = App(
            id: "app_" + makeToken(12), name: try Validation.text(name, field: "name", of: 1...100),
            bundleID: try Validation.bundleID(bundleID), createdAt: now, policy: DownloadPolicy())
        try await repository.save(app)
        return app
    }

    /// Changes an app; devices hear of new settings with the next publication.
    /// - Throws: a 404 problem; a 422 problem for unusable values, which names the first by a JSON Pointer.
    public func updateApp(id: String, name: String, bundleID: String, settings: AppSettings) async throws -> App {
        var app = try await app(id: id)
        app.name = try Validation.text(name, field: "name", of: 1...100)
        app.bundleID = try Validation.bundleID(bundleID)
        if let fault = try await faults(in: settings, of: app).first {
            // The pointer's first part is the setting's kind.
            let kind = fault.pointer.split(separator: "/").first.map(String.init) ?? "settings"
            throw ProblemDocument.invalid(kind, "\(fault.pointer): \(fault.sentence)")
        }
        app.settings = settings
        try await repository.save(app)
        return app
    }

    /// What is wrong with settings that an app is to have; empty when they can be taken.
    /// - Throws: a 404 problem.
    public func faults(in settings: AppSettings, ofApp id: String) async throws -> [SettingFault] {
        try await faults(in: settings, of: app(id: id))
    }

    private func faults(in settings: AppSettings, of app: App) async throws -> [SettingFault] {
        let names = try await repository.segments(appID: app.id).map(\.name)
        return SettingsReview(stored: app.settings, segmentNames: Set(names), now: now).faults(in: settings)
    }

    /// The keys of an app, revoked ones as well, the newest first.
    public func apiKeys(appID: String) async throws -> [APIKey] {
        try await repository.apiKeys(appID: app(id: appID).id)
    }

    /// Makes a key with which devices of an app can register.
    /// - Throws: a 404 problem; a 422 problem for an unusable name.
    public func createAPIKey(appID: String, name: String) async throws -> APIKey {
        let app = try await app(id: appID)
        let key = APIKey(
            key: "lk_" + makeToken(40), appID: app.id, name: try Validation.text(name, field: "name", of: 1...100),
            createdAt: now)
        try await repository.save(key)
        return key
    }

    /// Turns a key's devices away from now on; revoking twice changes nothing.
    /// - Throws: a 404 problem.
    public func revokeAPIKey(appID: String, key: String) async throws -> APIKey {
        let app = try await app(id: appID)
        guard var found = try await repository.apiKey(key), found.appID == app.id else {
            throw ProblemDocument.unknown("key", key, hint: "List the app's keys to find the right one.")
        }
        if found.revokedAt == nil {
            found.revokedAt = now
            try await repository.save(found)
        }
        return found
    }
}
