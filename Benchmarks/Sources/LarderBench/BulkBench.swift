import Foundation
import Glibc
import Wire

/// Segments brought to the device behind an emulated access link, beside programs that download the same URLs.
enum BulkBench {
    private struct Link {
        var name: String
        var roundTripMilliseconds: Double
        var downKilobits: Double
        var upKilobits: Double

        static let all = [
            Link(name: "4g", roundTripMilliseconds: 60, downKilobits: 9_000, upKilobits: 3_000),
            Link(name: "wifi", roundTripMilliseconds: 10, downKilobits: 50_000, upKilobits: 20_000),
        ]

        /// The bytes of the bodies at the link's rate and two round trips, in microseconds.
        func floor(byteCount: Int) -> Double {
            Double(byteCount) * 8_000 / downKilobits + 2_000 * roundTripMilliseconds
        }
    }

    static func run(_ stage: Stage) async throws {
        stage.report.begin("Bulk pre-positioning behind an emulated link")
        let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        let emulator = programs.deletingLastPathComponent().appendingPathComponent("LinkEmulator").path
        guard geteuid() == 0, access("/dev/net/tun", R_OK | W_OK) == 0, access("/usr/bin/caddy", X_OK) == 0 else {
            stage.report.remark("Not measured: it needs root, /dev/net/tun, iproute2 and Caddy.")
            return
        }
        let subnet = Int(getpid()) % 250 + 1
        let caddy = try CaddyOrigin(directory: stage.directory + "/caddy", address: "10.79.\(subnet).1")
        let segments = try BulkContent.all.map { try $0.write(to: caddy.root, origin: caddy.url) }
        try BulkContent.publish(segments, to: caddy.root)
        for link in stage.isQuick ? [Link.all[1]] : Link.all {
            for content in BulkContent.all {
                let numbers = [link.roundTripMilliseconds, link.downKilobits, link.upKilobits, 0, Double(subnet)]
                let behindLink = [emulator] + numbers.map { String($0) }
                try measure(content, link, behindLink, programs.path, caddy, stage)
            }
        }
    }

    private static func measure(
        _ content: BulkContent, _ link: Link, _ behindLink: [String], _ program: String, _ caddy: CaddyOrigin,
        _ stage: Stage
    ) throws {
        let floor = link.floor(byteCount: content.byteCount)
        let list = "\(stage.directory)/\(content.segment).urls"
        try (content.urls(at: caddy.url).joined(separator: "\n") + "\n")
            .write(toFile: list, atomically: true, encoding: .utf8)
        let peers = BulkPeer.installed
        var syncs: [Double] = [], items: [Double] = []
        var others: [[Double]] = peers.map { _ in [] }
        for round in 0..<(stage.isQuick ? 1 : 3) {
            let directory = "\(stage.directory)/device-\(link.name)-\(content.segment)-\(round)"
            let client = BulkClient.arguments(
                url: caddy.url, authorityFile: caddy.authorityFile, segment: content.segment, directory: directory)
            let (output, _) = try Companion.run(behindLink + [program] + client)
            guard let result = BulkClient.result(output) else { throw Companion.Failure(description: output) }
            syncs.append(result.sync)
            items.append(result.items)
            // A link of fixed rate and delay leaves programs little room to vary: one round of them is enough.
            guard round == 0 else { continue }
            for (index, peer) in peers.enumerated() {
                let target = directory + "-peer"
                try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
                defer { _ = try? FileManager.default.removeItem(atPath: target) }
                let elapsed = try peer.time(
                    behindLink, program: program, list: list, target: target, caddy.authorityFile, content)
                others[index].append(elapsed)
            }
        }
        var rows: [(String, Double)] = [
            ("Larder: the items, hashed, durable and switched to", median(items)),
            ("Larder: the whole sync, release and manifest included", median(syncs)),
        ]
        rows += zip(peers, others).map { ($0.name, median($1)) }
        stage.report.table(
            "\(content.name), \(link.name)", columns: ["seconds", "over the floor"],
            rows: [
                [
                    "the floor: the bodies' bytes at the link's rate, and two round trips", Report.figure(floor / 1e6),
                    "1.000",
                ]
            ]
                + rows.map { [$0.0, Report.figure($0.1 / 1e6), String(format: "%.3f", $0.1 / floor)] })
        stage.report.bar(
            "pre-positioning \(content.name), \(link.name)", .atMost, content.itemCount > 100 ? 1.06 : 1.05, "x",
            measured: median(items) / floor)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
