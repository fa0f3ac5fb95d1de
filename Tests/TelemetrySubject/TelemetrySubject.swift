import Foundation
import Primitives
import Telemetry
import Wire

/// Starts and stops timed events until it is killed.
///
///     TelemetrySubject <directory> <run>
///
/// Stops what it finds running. Then starts the events "<run>.<n>", each stopped once the next one has been started, and writes
/// the line "durable <n>" when the start of n and every stop before it are on the disk.
@main
struct TelemetrySubject {
    static func main() async {
        guard CommandLine.arguments.count == 3 else { exit(1) }
        let timekeeper = SystemTimekeeper()
        let queue = TelemetryQueue(
            configuration: .init(directory: CommandLine.arguments[1]), timekeeper: timekeeper,
            makeID: { UUID().uuidString.lowercased() })
        let events = TimedEvents(queue: queue, timekeeper: timekeeper)
        while let left = events.latestName.flatMap({ EventName($0) }) { events.stop(left) }
        for number in 0..<1_000_000 {
            guard let name = EventName("\(CommandLine.arguments[2]).\(number)") else { exit(1) }
            events.start(name)
            if number > 0, let earlier = EventName("\(CommandLine.arguments[2]).\(number - 1)") { events.stop(earlier) }
            await queue.flush()
            FileHandle.standardOutput.write(Data("durable \(number)\n".utf8))
        }
    }
}
