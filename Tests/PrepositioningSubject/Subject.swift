import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import Telemetry
import Transport
import Wire

/// A device: everything the SDK wires together for pre-positioning, and an app that records events.
final class Subject: Sendable {
    private let serverURL: HTTPURL
    private let run: String
    private let isFinite: Bool
    private let timekeeper = SystemTimekeeper()
    private let transport = CurlTransport()
    private let telemetry: TelemetryQueue
    private let prepositioner: Prepositioner

    init(serverURL: HTTPURL, directory: String, run: String, isFinite: Bool) throws {
        self.serverURL = serverURL
        self.run = run
        self.isFinite = isFinite
        let store = try ContentStore(
            configuration: .init(directory: directory + "/store"), timekeeper: timekeeper)
        let telemetry = TelemetryQueue(
            configuration: .init(directory: directory + "/telemetry"), timekeeper: timekeeper
        ) { UUID().uuidString }
        self.telemetry = telemetry
        var configuration = Prepositioner.Configuration(
            serverURL: serverURL, apiKey: "key", bundleID: "com.example.subject",
            directory: directory + "/prepositioning", sdkVersion: "test")
        configuration.initialSegments = ["news", "shared"]
        var listener = Prepositioner.Listener()
        listener.onTelemetry = { telemetry.record($0) }
        prepositioner = try Prepositioner(
            configuration: configuration, store: store, transport: transport, activity: ActivityGate(),
            timekeeper: timekeeper, listener: listener)
    }

    /// - Returns: whether everything came and was told.
    func run() async -> Bool {
        let events = Task { await recordEvents() }
        while true {
            let report = await prepositioner.sync()
            await upload()
            guard isFinite else { continue }
            events.cancel()
            await events.value
            await upload()
            let status = prepositioner.status
            let isDone =
                status.isComplete && !status.items.isEmpty && report.failures.isEmpty && telemetry.count == 0
            print("finished: \(report), \(status.activeVersions)")
            return isDone
        }
    }

    private func upload() async {
        guard case .registered(let deviceID, let deviceToken, _) = prepositioner.status.registration else { return }
        let destination = TelemetryQueue.Destination(
            serverURL: serverURL, deviceID: deviceID, deviceToken: deviceToken)
        let report = await telemetry.upload(to: destination, over: transport)
        if let failure = report.failure { print("upload: \(failure)") }
    }

    /// Records numbered events, and says which are durable.
    private func recordEvents() async {
        var number = 0
        while !Task.isCancelled {
            for _ in 0..<2 {
                telemetry.record(.event(AppEvent(name: "\(run)-\(number)", date: timekeeper.now)))
                number += 1
            }
            await telemetry.flush()
            // Written at once: what is printed must not wait in a buffer for the kill.
            FileHandle.standardOutput.write(Data("durable \(number)\n".utf8))
            do { try await timekeeper.sleep(for: .milliseconds(10)) } catch { return }
        }
    }
}
