import ControlModel
import Foundation
import HTTPModel
import Wire

/// `larder admin events`, `timeline`, `pin-failures`, `forget`: what devices told, and how one is forgotten.
enum TelemetryCommands {
    private static let shared = [AdminCommands.app] + AdminCommands.connection
    private static let device = CommandSpecification.Operand(name: "DEVICE", help: "The device's id.")

    static let specifications = [
        CommandSpecification(
            path: ["admin", "events"], summary: "List the app's events of the last 24 hours by name.", options: shared
        ) { arguments in
            try await AdminCommands.withApp(arguments) { client, app in
                AdminCommands.show(try await client.events(appID: app), arguments, line)
            }
        },
        CommandSpecification(
            path: ["admin", "timeline"], summary: "Show a device's latest events with its exchanges, the newest first.",
            operands: [device], options: shared
        ) { arguments in
            try await AdminCommands.withApp(arguments) { client, app in
                let entries = try await client.timeline(appID: app, deviceID: arguments.operands[0])
                AdminCommands.show(entries, arguments, line)
            }
        },
        CommandSpecification(
            path: ["admin", "pin-failures"],
            summary: "List the chains of keys of the last 24 hours that no pin of their host allows.", options: shared
        ) { arguments in
            try await AdminCommands.withApp(arguments) { client, app in
                AdminCommands.show(try await client.pinFailures(appID: app), arguments) { failure in
                    (["\(failure.host)  \(failure.count) times on \(Figures.plural(failure.deviceCount, "device"))"]
                        + failure.shownDigests.map { "  \($0)" }).joined(separator: "\n")
                }
            }
        },
        CommandSpecification(
            path: ["admin", "forget"], summary: "Forget a device; what it told stays without its name.",
            operands: [device], options: shared
        ) { arguments in
            try await AdminCommands.withApp(arguments) { client, app in
                try await client.forgetDevice(appID: app, id: arguments.operands[0])
                Console.note("\(arguments.operands[0]) is forgotten; it may register again while its key is good")
            }
        },
    ]

    @Sendable private static func line(_ event: EventStatistics) -> String {
        var parts = [event.name, "\(event.count)"]
        if let median = event.medianMilliseconds, let high = event.percentile90Milliseconds {
            parts.append("median \(Figures.milliseconds(Int64(median * 1_000)))")
            parts.append("90 % within \(Figures.milliseconds(Int64(high * 1_000)))")
        }
        if event.exchangeCount > 0 {
            parts.append(
                "\(Figures.plural(event.exchangeCount, "exchange")), \(event.fromDeviceCount) on the device, "
                    + "\(event.failedCount) failed, \(Figures.bytes(event.wireByteCount))")
        }
        return parts.joined(separator: "  ")
    }

    @Sendable private static func line(_ entry: AdminClient.TimelineLine) -> String {
        if let event = entry.event {
            let duration = event.durationMicroseconds.map { "  \(Figures.milliseconds($0))" } ?? ""
            return "\(HTTPDate.format(event.date))  EVENT \(event.name)\(duration)"
        }
        guard let exchange = entry.exchange else { return "" }
        let events = exchange.events.map { "  during \($0.joined(separator: ", "))" } ?? ""
        return "\(HTTPDate.format(exchange.date))    \(exchange.method) \(exchange.url)  \(exchange.status)  "
            + "\(exchange.outcome)  \(Figures.milliseconds(exchange.totalMicroseconds))\(events)"
    }
}
