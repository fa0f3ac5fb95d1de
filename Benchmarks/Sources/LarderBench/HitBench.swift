import Foundation
import FoundationNetworking
import HTTPModel
import Larder

/// A hit of the direct API by size, one at a time.
enum HitBench {
    static let sizes = [("1 KiB", 1_024), ("4 KiB", 4_096), ("100 KiB", 102_400), ("5 MiB", 5 << 20)]

    static func run(_ stage: Stage) async throws {
        stage.report.begin("Hits of the direct API")
        for (name, byteCount) in sizes { try await hits(name, byteCount, stage) }
    }

    /// A stored body: the same file read in the cheapest ways, and through the engine.
    private static func hits(_ name: String, _ byteCount: Int, _ stage: Stage) async throws {
        let file = "\(stage.directory)/\(byteCount)"
        try Data(repeating: 0x61, count: byteCount).write(to: URL(fileURLWithPath: file))
        let larder = stage.larder
        let url = HTTPURL("http://127.0.0.1:\(stage.origin.port)/\(byteCount)/store/1")!
        let request = HTTPRequest(url: url)
        let urlRequest = URLRequest(url: URL(string: url.string)!)
        for try await _ in try await larder.send(request).body {}
        var contest = stage.contest("Hit, \(name), one at a time", operations: byteCount > 1 << 20 ? 20 : 500)
        contest.add("open + fstat + read of the file") { precondition(FileFloor.read(file) == byteCount) }
        contest.add("open + fstat + mmap of the file, every page touched") {
            precondition(FileFloor.map(file) == byteCount)
        }
        contest.add("Larder, the engine's own call (`send`), body read") {
            let response = try await larder.send(request)
            let body = try response.storedBody!.data()
            precondition(body.count == byteCount && FileFloor.isFilled(body))
        }
        contest.add("Larder, `data(for:)`") {
            let (body, _) = try await larder.data(for: urlRequest)
            precondition(body.count == byteCount && FileFloor.isFilled(body))
        }
        let rows = try await contest.report(to: stage.report)
        switch byteCount {
        case 4_096:
            stage.report.bar(
                "direct hit of 4 KiB over the floor", .atMost, 2, "x", measured: rows[2].median / rows[0].median)
        case 5 << 20:
            stage.report.bar(
                "direct hit of 5 MiB over a mapped file", .atMost, 1.5, "x", measured: rows[2].median / rows[1].median)
        default: break
        }
    }
}
