import Foundation
import Larder

/// What every chapter stands on: a directory of its own, the origin, the SDK, and the report.
final class Stage {
    /// Fewer rounds and smaller stores: to see that all runs, not to publish.
    let isQuick: Bool
    /// Scratch space, removed at the end.
    let directory: String
    let origin: Origin
    let larder: LarderClient
    let report = Report()

    init(isQuick: Bool) throws {
        self.isQuick = isQuick
        directory = NSTemporaryDirectory() + "larder-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        origin = try Origin()
        var configuration = LarderConfiguration(bundleID: "bench")
        configuration.directory = directory + "/sdk"
        larder = LarderClient(configuration: configuration)
    }

    /// A contest with the number of rounds that the run allows.
    func contest(_ title: String, operations: Int) -> Contest {
        Contest(title, operations: operations, rounds: isQuick ? 9 : 41)
    }

    /// Ends the SDK and removes what was written.
    func close() async {
        await larder.shutDown()
        _ = try? FileManager.default.removeItem(atPath: directory)
    }
}
