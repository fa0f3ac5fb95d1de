import Foundation

/// The demo's table: what each request took cold, pre-positioned and offline.
struct DemoReport {
    /// The loads by name, each with its requests by path.
    private var loads: [String: [String: AppReport.Request]] = [:]
    /// Paths in the order of the first load.
    private var order: [String] = []
    /// Paths that the segments hold.
    let segmentPaths: Set<String>
    static let phases = ["cold", "pre-positioned", "offline"]

    init(segmentPaths: Set<String>) { self.segmentPaths = segmentPaths }

    mutating func add(_ requests: [AppReport.Request], phase: String) {
        for request in requests {
            let path = request.url.path(percentEncoded: true)
            if loads[phase, default: [:]].updateValue(request, forKey: path) == nil, !order.contains(path) {
                order.append(path)
            }
        }
    }

    /// What did not come out as promised; empty when all did.
    var shortcomings: [String] {
        order.filter(segmentPaths.contains).flatMap { path -> [String] in
            let cold = loads["cold"]?[path]
            return Self.phases.compactMap { phase in
                guard let request = loads[phase]?[path] else { return "\(path): not loaded \(phase)" }
                if request.status != 200 {
                    return "\(path): \(phase) answered \(request.failure ?? "\(request.status)")"
                }
                if request.digest != cold?.digest { return "\(path): \(phase) differs from the cold load" }
                if phase != "cold", request.wireByteCount != 0 {
                    return
                        "\(path): \(phase) put \(request.wireByteCount.map(String.init) ?? "unknown") bytes on the wire"
                }
                return nil
            }
        } + segmentPaths.subtracting(order).sorted().map { "\($0): never loaded" }
    }

    /// The whole table as text.
    var table: String {
        let nameWidth = min(44, max(12, order.map(\.count).max() ?? 12))
        var lines = [
            "request".padded(to: nameWidth) + Self.phases.map { "  │ " + $0.padded(to: 20) }.joined(),
            "".padded(to: nameWidth)
                + Self.phases.map { _ in
                    "  │ " + "ms".padded(to: 8, alignedRight: true) + "wire".padded(to: 10, alignedRight: true) + "  "
                }
                .joined() + " │ Cache-Status of the last",
        ]
        lines.append(String(repeating: "─", count: nameWidth + 75))
        for path in order {
            let name = path.count > nameWidth ? "…" + path.suffix(nameWidth - 1) : path
            let cells = Self.phases.map { cell(loads[$0]?[path]) }.joined()
            let status = Self.phases.reversed().compactMap { loads[$0]?[path]?.cacheStatus }.first ?? "-"
            lines.append(name.padded(to: nameWidth) + cells + "  │ " + status)
        }
        lines.append(String(repeating: "─", count: nameWidth + 75))
        let totals = Self.phases.map { phase in
            let requests = Array((loads[phase] ?? [:]).values)
            let microseconds = requests.reduce(0) { $0 + $1.microseconds }
            return cell(microseconds: microseconds, wire: requests.reduce(0) { $0 + ($1.wireByteCount ?? 0) })
        }
        lines.append("all \(order.count) requests".padded(to: nameWidth) + totals.joined() + "  │")
        return lines.joined(separator: "\n")
    }

    private func cell(_ request: AppReport.Request?) -> String {
        guard let request else { return "  │ " + "-".padded(to: 20, alignedRight: true) }
        guard request.status != 0 else { return "  │ " + "failed".padded(to: 20, alignedRight: true) }
        return cell(microseconds: request.microseconds, wire: request.wireByteCount)
    }

    private func cell(microseconds: Int64, wire: Int64?) -> String {
        let milliseconds = Figures.fixed(Double(microseconds) / 1_000, 1).padded(to: 8, alignedRight: true)
        return "  │ " + milliseconds + (wire.map(Figures.bytes) ?? "?").padded(to: 10, alignedRight: true) + "  "
    }
}

/// What the sample app tells the demo; the same lines as its own `Report`.
enum AppReport: Decodable {
    /// One request as the app saw it.
    struct Request: Decodable {
        var url: URL
        var status: Int
        var microseconds: Int64
        var byteCount: Int
        var digest: String
        var wireByteCount: Int64?
        var cacheStatus: String?
        var failure: String?
    }

    case progress(done: Int64, total: Int64, items: Int, itemsTotal: Int)
    case waiting(String)
    case loaded(String, [Request])
    case sent(Int)
}
