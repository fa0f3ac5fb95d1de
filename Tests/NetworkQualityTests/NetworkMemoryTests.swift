import Conditions
import Foundation
import TestSupport
import Testing

@testable import NetworkQuality

@Suite("What is remembered of networks")
struct NetworkMemoryTests {
    private func memory(_ seconds: Double, _ date: TimeInterval = 0) -> QualityEstimator.Memory {
        QualityEstimator.Memory(
            roundTripSeconds: seconds, bytesPerSecond: 5, date: Date(timeIntervalSince1970: date))
    }

    @Test("it comes back from its file, and tells nobody where the device was")
    func file() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("deep/networks.json")
        #expect(try NetworkMemory.read(path) == nil)
        var known = NetworkMemory()
        known[.init(.wifi, id: "Cafe Central")] = memory(1)
        known[.init(.cellular)] = memory(2)
        try known.write(path)
        let read = try #require(try NetworkMemory.read(path))
        #expect(read == known)
        #expect(read[.init(.wifi, id: "Cafe Central", signalLevel: 2)]?.roundTripSeconds == 1)
        #expect(read[.init(.wifi, id: "elsewhere")] == nil)
        #expect(read[.init(.cellular, id: nil)]?.roundTripSeconds == 2)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains("Central") && !text.contains("wifi"))
        // The same network has another name on every device.
        var other = NetworkMemory()
        other[.init(.wifi, id: "Cafe Central")] = memory(1)
        #expect(Set(other.networks.keys).isDisjoint(with: known.networks.keys))
    }

    @Test("the network used longest ago gives way")
    func bound() {
        var known = NetworkMemory()
        for index in 0...NetworkMemory.networkCountMax {
            known[.init(.wifi, id: "\(index)")] = memory(1, Double(index))
        }
        #expect(known.networks.count == NetworkMemory.networkCountMax)
        #expect(known[.init(.wifi, id: "0")] == nil)
        #expect(known[.init(.wifi, id: "1")] != nil)
    }

    @Test(
        "a file that is none is told and set no trap",
        arguments: ["", "{", "[]", String(repeating: "x", count: 70_000)])
    func damage(text: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("networks.json")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: (any Error).self) { try NetworkMemory.read(path) }
    }
}
