public import ControlModel
import Cryptography
import Primitives
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
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
        guard id.utf8.count <= 100, token.utf8.count <= 256, var device = try await repository.device(id: id),
            Secrets.areEqual(device.tokenDigest.hex, digest(of: token).hex)
        else {
            throw ProblemDocument.unauthorized(
                "unknown-device", "Unknown device",
                "The device's id or token is not known to this server. Register the device again.")
        }
        guard let key = try await repository.apiKey(device.apiKey), key.revokedAt == nil else { throw Self.revoked }
        let date = now
        if date.timeIntervalSince(device.lastSeenAt) >= Self.lastSeenSeconds {
            device.lastSeenAt = date
            try await repository.save(device)
        }
        return device
    }

    /// Stores a batch once; one that was stored before is accepted and changes nothing.
    /// - Throws: a 403 problem for a batch of another device; a 413 problem for too many items; a 422 problem for a bad id.
    public func store(_ batch: TelemetryBatch, from device: Device) async throws {
        guard batch.deviceID == device.id else {
            throw ProblemDocument.forbidden(
                "wrong-device", "Wrong device",
                "The batch names another device than the one that sent it. Send a device's batches with its own token.")
        }
        guard (1...100).contains(batch.id.utf8.count) else {
            throw ProblemDocument.invalid("batch-id", "A batch id has 1 to 100 characters, such as a UUID.")
        }
        guard batch.items.count <= configuration.itemsPerBatchMax, batch.losses.count <= 100 else {
            throw ProblemDocument(
                type: "/problems/batch-too-large", title: "Batch too large", status: 413,
                detail: "A batch has \(configuration.itemsPerBatchMax) items and 100 reasons of loss at most; "
                    + "this one has \(batch.items.count) and \(batch.losses.count). Send it in parts.")
        }
        _ = try await repository.store(batch, appID: device.appID, receivedAt: timekeeper.now)
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

    /// Sums up what devices told about a span of time; cost follows the number of exchanges in it.
    /// - Throws: a 404 problem; a 422 problem for an empty span or one beyond 400 days, or slices outside of 1 to 1,000.
    public func statistics(
        appID: String, from start: Date, to end: Date, sliceCount: Int
    ) async throws -> AppStatistics {
        let app = try await app(id: appID)
        let seconds = end.timeIntervalSince(start)
        guard seconds >= 1, seconds <= 400 * 86_400 else {
            throw ProblemDocument.invalid("span", "The span must be from 1 second to 400 days long, start before end.")
        }
        guard (1...1_000).contains(sliceCount) else {
            throw ProblemDocument.invalid("slices", "A span has 1 to 1,000 slices.")
        }
        return try await repository.statistics(appID: app.id, from: start, to: end, sliceCount: sliceCount)
    }
}
