import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Wire

@testable import Telemetry

/// An app is killed at random instants while timed events start and stop.
@Suite(.serialized) struct EventKillTests {
    private static let killCount = 40

    @Test("every event whose start was durable is told once, with its time, whatever instant the app is killed at")
    func survivesKills() async throws {
        let seed = UInt64.random(in: 1...UInt64.max)
        print("EventKillTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let queuePath = directory.path("telemetry")
        var durable: [Int: Int] = [:]
        for run in 0..<Self.killCount {
            let process = try KillableProcess(
                builtProduct(named: "TelemetrySubject"), [queuePath, "\(run)"], outputPath: directory.path("output"))
            let output = await process.kill(
                after: .microseconds(Int.random(in: 0...60_000, using: &random)), since: "durable 0\n")
            // The last line may be cut.
            let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            durable[run] = lines.compactMap { Int($0.dropFirst("durable ".count)) }.max()
        }
        // The kills would show nothing if the program never got as far.
        #expect(durable.count == Self.killCount)

        let told = try await told(in: queuePath)
        var counts: [String: Int] = [:]
        for event in told { counts[event.name, default: 0] += 1 }
        #expect(counts.values.allSatisfy { $0 == 1 })
        for (run, last) in durable {
            for number in 0...last { #expect(counts["\(run).\(number)"] == 1, "\(run).\(number) of \(last)") }
        }
        #expect(told.allSatisfy { ($0.durationMicroseconds ?? -1) >= 0 })
    }

    /// What the last run of the app tells, once it has stopped what it found running.
    private func told(in path: String) async throws -> [AppEvent] {
        let ids = Locked(0)
        let queue = TelemetryQueue(
            configuration: .init(directory: path), timekeeper: SystemTimekeeper(),
            makeID: {
                ids.withLock { id in
                    id += 1
                    return "last-\(id)"
                }
            })
        #expect(queue.storageFailure == nil)
        let events = TimedEvents(queue: queue, timekeeper: SystemTimekeeper())
        while let left = events.latestName.flatMap({ EventName($0) }) { events.stop(left) }
        let server = BatchServer()
        let destination = TelemetryQueue.Destination(
            serverURL: try #require(HTTPURL("http://plane.test/")), deviceID: "device", deviceToken: "token")
        let report = await queue.upload(to: destination, over: server)
        #expect(report.failure == nil && server.posts.allSatisfy { $0.batch.losses.isEmpty })
        return server.posts.flatMap(\.batch.items).compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}
