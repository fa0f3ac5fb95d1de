import Conditions
import Foundation
import Primitives
import TestSupport
import WorldSupport

@testable import Larder

/// A client before a control plane in memory. Clients of one directory come one after the other, as starts of an app do.
final class WorldRig: Sendable {
    let world = World()
    let transport: WorldTransport
    let directory: TemporaryDirectory
    let conditions = ManualConditions()
    private let lines = Locked<[String]>([])

    /// The lines logged so far.
    var log: [String] { lines.withLock { $0 } }

    init() throws {
        directory = try TemporaryDirectory()
        transport = WorldTransport(world)
        world.put("/a", "first")
        try world.publish(["news": ["/a"]])
    }

    /// Starts the app.
    func start(apiKey: String? = nil, _ change: (inout LarderConfiguration) -> Void = { _ in }) -> LarderClient {
        var configuration = LarderConfiguration(serverURL: "http://plane.test", apiKey: apiKey)
        configuration.directory = directory.path("larder")
        configuration.conditions = conditions
        configuration.log = { [lines] line in lines.withLock { $0.append(line) } }
        change(&configuration)
        return LarderClient(configuration: configuration, timekeeper: SystemTimekeeper(), transport: transport)
    }

    /// Returns once a client's status is as it shall be.
    func wait(for client: LarderClient, until isReached: (Prepositioner.Status) -> Bool) async {
        for await status in client.statuses() where isReached(status) { return }
    }
}
