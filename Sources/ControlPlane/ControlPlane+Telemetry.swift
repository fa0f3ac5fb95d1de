public import ControlModel
import Primitives
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ControlPlane {
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

    /// Sums up what devices told about a span of time; cost follows the number of exchanges in it.
    /// - Throws: a 404 problem; a 422 problem for an empty span or one beyond 400 days, or slices outside of 1 to 1,000.
    public func statistics(
        appID: String, from start: Date, to end: Date, sliceCount: Int
    ) async throws -> AppStatistics {
        let app = try await app(id: appID)
        try checkSpan(from: start, to: end)
        guard (1...1_000).contains(sliceCount) else {
            throw ProblemDocument.invalid("slices", "A span has 1 to 1,000 slices.")
        }
        return try await repository.statistics(appID: app.id, from: start, to: end, sliceCount: sliceCount)
    }

    /// The app's events of a span of time by name, the most frequent first, 200 names at most.
    /// - Throws: a 404 problem; a 422 problem for an empty span or one beyond 400 days.
    public func eventStatistics(appID: String, from start: Date, to end: Date) async throws -> [EventStatistics] {
        let app = try await app(id: appID)
        try checkSpan(from: start, to: end)
        return try await repository.eventStatistics(appID: app.id, from: start, to: end)
    }

    /// The chains that broke pins in a span of time, the newest first, 100 at most.
    /// - Throws: a 404 problem; a 422 problem for an empty span or one beyond 400 days.
    public func pinFailures(appID: String, from start: Date, to end: Date) async throws -> [PinFailureSum] {
        let app = try await app(id: appID)
        try checkSpan(from: start, to: end)
        return try await repository.pinFailures(appID: app.id, from: start, to: end)
    }

    /// The latest 50 events of a device with the exchanges since the first of them, or its latest exchanges when it told of
    /// no event; 500 exchanges at most, the newest first.
    /// - Throws: a 404 problem.
    public func timeline(appID: String, deviceID: String) async throws -> [TimelineEntry] {
        let device = try await device(appID: appID, id: deviceID)
        return try await repository.timeline(deviceID: device.id, eventCountMax: 50, exchangeCountMax: 500)
    }

    private func checkSpan(from start: Date, to end: Date) throws {
        let seconds = end.timeIntervalSince(start)
        guard seconds >= 1, seconds <= 400 * 86_400 else {
            throw ProblemDocument.invalid("span", "The span must be from 1 second to 400 days long, start before end.")
        }
    }
}
