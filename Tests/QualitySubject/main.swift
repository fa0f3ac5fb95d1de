import Conditions
import Foundation
import HTTPModel
import NetworkQuality
import Primitives
import Transport

// A device that does what it reads, line by line:
//
//     get URL ...       fetches one after the other, prints "got <microseconds> <microseconds predicted before, or 0>" for each
//     every MS URL      fetches from now on so often, whatever became of the fetches before
//     rest              no longer does
//     idle MS           does nothing for so long
//     enter KIND ID     is on another network from now on
//     look              prints "sees <status> <round trip in ms> <kbit/s> <confidence>"
//
// The emulated link delays packets by the clock on the wall, so this program's pauses are real ones; the test waits for its lines.
// Changes are printed as they come, as "turns <status>".

/// Prints a line at once.
@Sendable func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let timekeeper = SystemTimekeeper()
let conditions = ManualConditions()
let monitor = QualityMonitor(path: nil, conditions: conditions, timekeeper: timekeeper)
var configuration = CurlTransport.Configuration()
configuration.observer = monitor
configuration.trust.authorityFile = ProcessInfo.processInfo.environment["AUTHORITY_FILE"]
let transport = CurlTransport(configuration: configuration, timekeeper: timekeeper)
// Detached, because the main thread waits for lines.
let run = Task.detached { await monitor.run() }
let changes = Task.detached { for await estimate in monitor.estimates() { say("turns \(estimate.status)") } }
var load: Task<Void, Never>?

/// Fetches a URL; returns the length of its body.
@Sendable func fetch(_ url: String) async -> Int {
    guard let url = HTTPURL(url) else { return 0 }
    do {
        return try await transport.send(TransportRequest(HTTPRequest(url: url))).body.collect().count
    } catch is CancellationError {
        return 0
    } catch {
        say("failed: \(error)")
        return 0
    }
}

while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "get":
        for url in words.dropFirst() {
            let byteCount = Int64(url.split(separator: "/").last ?? "") ?? 0
            let predicted = monitor.estimate.predictedDuration(forByteCount: byteCount)
            let start = timekeeper.uptime
            _ = await fetch(url)
            let elapsed = timekeeper.uptime - start
            say("got \(Int(elapsed / .microseconds(1))) \(Int((predicted ?? .zero) / .microseconds(1)))")
        }
    case "every":
        let pause = Duration.milliseconds(Int(words[1]) ?? 1_000), url = words[2]
        load = Task.detached {
            await withDiscardingTaskGroup { group in
                while (try? await timekeeper.sleep(for: pause)) != nil { group.addTask { _ = await fetch(url) } }
            }
        }
    case "rest":
        load?.cancel()
        await load?.value
        load = nil
    case "idle": try? await timekeeper.sleep(for: .milliseconds(Int(words[1]) ?? 0))
    case "enter":
        let kind = DeviceConditions.NetworkKind(rawValue: words[1]) ?? .other
        conditions.set(DeviceConditions(network: DeviceConditions.Network(kind, id: words[2])))
    case "look":
        let estimate = monitor.estimate
        let milliseconds = estimate.roundTrip.map { $0 / .milliseconds(1) } ?? 0
        say("sees \(estimate.status) \(milliseconds) \((estimate.bytesPerSecond ?? 0) / 125) \(estimate.confidence)")
    default: break
    }
}
load?.cancel()
await load?.value
changes.cancel()
run.cancel()
await run.value
