import Foundation

/// The proxy's hits beside those of nginx and Varnish, by the script that starts them.
enum ProxyBench {
    static func run(_ stage: Stage) async throws {
        stage.report.begin("Hits through the proxy")
        let script = "Benchmarks/proxy.sh"
        guard FileManager.default.isExecutableFile(atPath: script) else {
            return stage.report.remark("Not measured: \(script) is not here; run from the root of the repository.")
        }
        let (output, status) = try Companion.run([script] + (stage.isQuick ? ["1", "1"] : ["5", "2"]))
        guard status == 0 else { return stage.report.remark("Not measured: the script ended with status \(status).") }
        stage.report.remark("Hits per second, each server on one core, the load on the other.")
        stage.report.remark(output)
        for line in output.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            // The bar's load is that of many clients: the highest number of connections.
            guard cells.count == 6, cells[0] == "4k", cells[1] == "64", let ratio = Double(cells[4]) else { continue }
            stage.report.bar(
                "proxy hits of 4 KiB over nginx's proxy_cache, 64 connections", .atLeast, 1, "x", measured: ratio)
        }
    }
}
