import Foundation
import TestSupport
import Testing
import Wire
import WorldSupport

@testable import Prepositioning

/// A device with a quota is killed again and again: what it used stays used.
@Suite(.serialized) struct UsageKillTests {
    private static let quota: Int64 = 1_000_000

    /// The bytes of content on the device: they came over the wire before.
    private func keptByteCount(_ directory: TemporaryDirectory) throws -> Int64 {
        let path = directory.path("prepositioning/partial")
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        return try FileManager.default.contentsOfDirectory(atPath: path).reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
            return sum + ((attributes[.size] as? NSNumber)?.int64Value ?? 0)
        }
    }

    @Test(
        "never forgets what kills cut short, and asks for no content once the quota is used up", .timeLimit(.minutes(2))
    )
    func survivesKills() async throws {
        let server = try WorldServer(chunkPause: 5)
        let directory = try TemporaryDirectory()
        let paths = (0..<4).map { "/item\($0)" }
        for (index, path) in paths.enumerated() {
            server.world.put(path, Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 / 7 + index) }))
        }
        var policy = DownloadPolicy()
        policy.wifi.dailyByteCountMax = Self.quota
        policy.cellular.dailyByteCountMax = Self.quota
        try server.world.publish(["news": paths, "shared": []], policy: policy)
        var used: Int64 = 0, kills = 0
        while used < Self.quota, kills < 100 {
            let process = try KillableProcess(
                builtProduct(named: "PrepositioningSubject"),
                [server.origin, directory.path, "run\(kills)", "forever"],
                outputPath: directory.path("output"))
            _ = await process.kill(after: .milliseconds(Int.random(in: 20...200)))
            kills += 1
            let usage = UsageFile(path: directory.path("prepositioning/usage")).read()?.usage ?? DataUsage()
            let now = usage.wifiByteCount + usage.cellularByteCount
            #expect(now >= used)
            // Each chunk is counted before it is written; the count follows to the disk a moment later.
            let kept = try keptByteCount(directory)
            #expect(now + (256 << 10) >= kept)
            used = now
        }
        print("UsageKillTests: \(kills) kills, \(used) bytes")
        #expect(Self.quota..<Self.quota + (1 << 20) ~= used)
        server.world.forgetRequests()
        let last = try KillableProcess(
            builtProduct(named: "PrepositioningSubject"), [server.origin, directory.path, "last", "finish"],
            outputPath: directory.path("output"))
        _ = await last.end()
        #expect(!server.world.requests.isEmpty)
        #expect(server.world.requests.allSatisfy { !paths.contains($0.path) })
    }
}
