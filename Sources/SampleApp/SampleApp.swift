import Foundation
import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An ordinary app that adds the SDK in three lines. Its requests are plain URLSession calls; it knows nothing of caches.
///
/// The demo drives it by lines on standard input and reads what it saw, as JSON, from standard output.
@main
enum SampleApp {
    static func main() async {
        guard let script = Script.fromStandardInput() else {
            FileHandle.standardError.write(Data("sample-app: expected a script as one line of JSON\n".utf8))
            exit(64)
        }

        // The three lines.
        let larder = LarderClient(configuration: script.larderConfiguration)
        larder.intercept(.shared)
        larder.subscribe(to: Set(script.segments))

        let browser = Browser(larder: larder)
        await show(larder, until: script.segments.isEmpty ? .registered : .complete, within: .seconds(240))
        for load in script.loads {
            Report.say(.waiting(load))
            guard readLine() != nil else { break }
            larder.startEvent("load \(load)")
            let requests = await browser.load(page: script.page, others: script.others)
            larder.stopEvent("load \(load)")
            Report.say(.loaded(load, requests))
        }
        larder.logEvent("tour finished")
        Report.say(.sent(await larder.sendTelemetry().itemsSent))
        await larder.shutDown()
    }

    private enum Goal { case registered, complete }

    /// Reports progress until the goal is reached; gives up after a while, as the demo then shows what is missing.
    private static func show(_ larder: LarderClient, until goal: Goal, within limit: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await status in larder.statuses() {
                    let ready = status.items.filter { $0.state == .ready }
                    Report.say(
                        .progress(
                            done: status.items.reduce(0) { $0 + $1.bytesReceived },
                            total: status.items.reduce(0) { $0 + $1.byteCount }, items: ready.count,
                            itemsTotal: status.items.count))
                    guard case .registered = status.registration else { continue }
                    if goal == .registered || (!status.items.isEmpty && status.isComplete) { return }
                }
            }
            group.addTask {
                do { try await Task.sleep(for: limit) } catch {
                    // Cancelled: the goal was reached.
                }
            }
            await group.next()
            group.cancelAll()
        }
    }
}
