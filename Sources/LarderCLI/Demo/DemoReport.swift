import Foundation
import HTTPModel

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

    /// The whole table as text: milliseconds, bytes on the wire and Cache-Status of each request in each load.
    var table: String {
        let nameWidth = min(40, max(12, order.map(\.count).max() ?? 12))
        let rule = String(repeating: "─", count: nameWidth + 3 * Self.cellWidth)
        let heads = Self.phases.map { "  │ " + $0.padded(to: Self.cellWidth - 4) }.joined()
        let units = Self.phases.map { _ in Self.cell("ms", "wire", "Cache-Status") }.joined()
        var lines = ["request".padded(to: nameWidth) + heads, "".padded(to: nameWidth) + units, rule]
        for path in order {
            let name = path.count > nameWidth ? "…" + path.suffix(nameWidth - 1) : path
            lines.append(name.padded(to: nameWidth) + Self.phases.map { cell(loads[$0]?[path]) }.joined())
        }
        let totals = Self.phases.map { phase in
            let requests = Array((loads[phase] ?? [:]).values)
            let microseconds = requests.reduce(0) { $0 + $1.microseconds }
            let wire = requests.reduce(0) { $0 + ($1.wireByteCount ?? 0) }
            let hits = requests.count { Self.status($0) == "hit" }
            return Self.cell(Self.milliseconds(microseconds), Figures.bytes(wire), "\(hits) hits")
        }
        lines += [rule, "all \(order.count) requests".padded(to: nameWidth) + totals.joined()]
        return lines.joined(separator: "\n")
    }

    private static let cellWidth = 38

    private func cell(_ request: AppReport.Request?) -> String {
        guard let request else { return Self.cell("-", "", "") }
        guard request.status != 0 else { return Self.cell("failed", "", "") }
        let wire = request.wireByteCount.map(Figures.bytes) ?? "?"
        return Self.cell(Self.milliseconds(request.microseconds), wire, Self.status(request))
    }

    /// The SDK's member of the field in short: "hit", "uri-miss".
    private static func status(_ request: AppReport.Request) -> String {
        guard let member = request.cacheStatus.flatMap(CacheStatus.parse)?.last else { return "-" }
        return member.isHit ? "hit" : member.forwardReason?.rawValue ?? "-"
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        Figures.fixed(Double(microseconds) / 1_000, 1)
    }

    private static func cell(_ time: String, _ wire: String, _ status: String) -> String {
        "  │ " + time.padded(to: 8, alignedRight: true) + wire.padded(to: 10, alignedRight: true) + "  "
            + status.padded(to: cellWidth - 24)
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
