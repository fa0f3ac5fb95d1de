public import ControlModel
import Cryptography
import Primitives
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ControlPlane {
    /// `lastSeenAt` is written this often at most, so that reading devices do not make the database write each time.
    private static let lastSeenSeconds = 60.0

    /// Registers a device: 401 for an unknown key, 403 for a revoked key or another bundle id.
    ///
    /// A device that names the id it got with this key before keeps it and gets a new token; the old one is void.
    public func register(_ request: RegistrationRequest) async throws -> RegistrationResponse {
        let key = try await usableKey(request.apiKey)
        let app = try await app(id: key.appID)
        guard request.bundleID == app.bundleID else {
            throw ProblemDocument.forbidden(
                "wrong-bundle", "Wrong bundle id",
                "The key belongs to an app with another bundle id than \"\(request.bundleID.prefix(160))\". "
                    + "Use the key of this app, or correct the bundle id in the portal.")
        }
        let token = makeToken(40)
        let known = try await knownDevice(request, appID: app.id)
        let date = now
        let device = Device(
            id: known?.id ?? "dev_" + makeToken(16), appID: app.id, tokenDigest: digest(of: token), apiKey: key.key,
            platform: try Validation.text(request.platform, field: "platform", of: 0...100),
            sdkVersion: try Validation.text(request.sdkVersion, field: "sdk-version", of: 0...50),
            registeredAt: known?.registeredAt ?? date, lastSeenAt: date)
        try await repository.save(device)
        return RegistrationResponse(
            deviceID: device.id, deviceToken: token, appID: app.id, signingKeys: signingKeys)
    }

    private func usableKey(_ text: String) async throws -> APIKey {
        guard text.utf8.count <= 100, let key = try await repository.apiKey(text) else {
            throw ProblemDocument.unauthorized(
                "unknown-key", "Unknown key",
                "The API key is not known to this server. Copy it from the app's keys in the portal.")
        }
        guard key.revokedAt == nil else { throw Self.revoked }
        return key
    }

    private func knownDevice(_ request: RegistrationRequest, appID: String) async throws -> Device? {
        guard let id = request.deviceID, id.utf8.count <= 100, let device = try await repository.device(id: id),
            device.appID == appID, device.apiKey == request.apiKey
        else { return nil }
        return device
    }

    private static var revoked: ProblemDocument {
        .forbidden(
            "key-revoked", "Key revoked",
            "The API key was revoked. Ship the app with a current key from the portal.")
    }

    /// The device of a token: 401 when unknown, 403 when its key was revoked. Notes that it was seen.
    public func device(id: String, token: String) async throws -> Device {
        var device = try await owned(id: id, token: token)
        guard let key = try await repository.apiKey(device.apiKey), key.revokedAt == nil else { throw Self.revoked }
        let date = now
        if date.timeIntervalSince(device.lastSeenAt) >= Self.lastSeenSeconds {
            device.lastSeenAt = date
            try await repository.noteSeen(deviceID: device.id, at: date)
        }
        return device
    }

    /// The device of a token, whatever became of its key.
    private func owned(id: String, token: String) async throws -> Device {
        guard id.utf8.count <= 100, token.utf8.count <= 256, let device = try await repository.device(id: id),
            Secrets.areEqual(device.tokenDigest.hex, digest(of: token).hex)
        else {
            throw ProblemDocument.unauthorized(
                "unknown-device", "Unknown device",
                "The device's id or token is not known to this server. Register the device again.")
        }
        return device
    }

    /// Keeps where a device's notifications go, in place of what was kept before.
    /// - Throws: a 422 problem for an unusable service or token.
    public func setPushToken(_ token: PushTokenRequest, of device: Device) async throws {
        try Validation.pushToken(token)
        try await repository.setPushToken(deviceID: device.id, to: token)
    }

    /// Forgets a device at its own wish, also when its key was revoked: its token and push token are void, its progress
    /// goes, and what it told before stays without saying whose it was.
    /// - Throws: a 401 problem for an unknown device or another token.
    public func forgetDevice(id: String, token: String) async throws {
        try await repository.removeDevice(id: owned(id: id, token: token).id)
    }

    /// Forgets a device at an operator's wish; it learns so with its next call, and may register again while its key is good.
    /// - Throws: a 404 problem.
    public func forgetDevice(appID: String, id: String) async throws {
        try await repository.removeDevice(id: device(appID: appID, id: id).id)
    }

    /// One device of an app.
    /// - Throws: a 404 problem.
    public func device(appID: String, id: String) async throws -> Device {
        let app = try await app(id: appID)
        guard id.utf8.count <= 100, let device = try await repository.device(id: id), device.appID == app.id else {
            throw ProblemDocument.unknown("device", id, hint: "List the app's devices to find the right id.")
        }
        return device
    }

    /// The devices of an app, the one seen last first; 1,000 at most at a time.
    /// - Throws: a 404 problem.
    public func devices(appID: String, limit: Int, offset: Int) async throws -> [Device] {
        try await repository.devices(
            appID: app(id: appID).id, limit: min(max(limit, 1), 1_000), offset: max(offset, 0))
    }

    /// How many devices an app has.
    /// - Throws: a 404 problem.
    public func deviceCount(appID: String) async throws -> Int {
        try await repository.deviceCount(appID: app(id: appID).id)
    }

    /// The newest progress of each device and segment, the newest first, 10,000 at most.
    /// - Throws: a 404 problem.
    public func progress(appID: String) async throws -> [(deviceID: String, progress: SegmentProgress)] {
        try await repository.progress(appID: app(id: appID).id)
    }
}
