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
        let first = try addPeers(to: &contest, byteCount, stage)
        let rows = try await contest.report(to: stage.report)
        if !first.isEmpty {
            stage.report.table(
                "First hit of a fresh process, \(name)", columns: ["µs"],
                rows: first.map { [$0.name, Report.figure($0.microseconds)] })
        }
        switch byteCount {
        case 4_096:
            stage.report.bar(
                "direct hit of 4 KiB over the floor", .atMost, 2, "x", measured: rows[2].median / rows[0].median)
            let okHTTP = rows.first { $0.name == HitPeer.all[0].name }
            stage.report.bar(
                "OkHttp's hit of 4 KiB over Larder's", .atLeast, 5, "x",
                measured: okHTTP.map { $0.median / rows[2].median }, note: HitPeer.all[0].missing)
        case 5 << 20:
            stage.report.bar(
                "direct hit of 5 MiB over a mapped file", .atMost, 1.5, "x", measured: rows[2].median / rows[1].median)
        default: break
        }
    }

    /// Other caches of the same response: Foundation's, and programs of their own that have been restarted since it came.
    /// - Returns: what the first hit took in each program.
    private static func addPeers(
        to contest: inout Contest, _ byteCount: Int, _ stage: Stage
    ) throws -> [(name: String, microseconds: Double)] {
        // At 5 MiB it takes seconds for each.
        if byteCount < 1 << 20 { addURLCache(to: &contest, byteCount, stage) }
        var first: [(name: String, microseconds: Double)] = []
        for peer in HitPeer.all {
            if let reason = peer.missing {
                if byteCount == sizes[0].1 { stage.report.remark("\(peer.name) is not measured: \(reason).") }
                continue
            }
            let url = "http://127.0.0.1:\(stage.origin.port)/\(byteCount)/store/peer"
            let program = try peer.start(directory: stage.directory, url: url, byteCount: byteCount)
            first.append((peer.name, try HitPeer.run(program, 1).microseconds))
            contest.addTimed(peer.name, share: peer.share) { try HitPeer.run(program, $0) }
        }
        return first
    }

    private static func addURLCache(to contest: inout Contest, _ byteCount: Int, _ stage: Stage) {
        let cache = URLCache(
            memoryCapacity: 0, diskCapacity: 64 << 20, diskPath: stage.directory + "/urlcache")
        let url = URL(string: "http://127.0.0.1:\(stage.origin.port)/\(byteCount)/store/urlcache")!
        let request = URLRequest(url: url)
        let response = HTTPURLResponse(
            url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: ["Cache-Control": "max-age=86400"])!
        let body = Data(repeating: 0x61, count: byteCount)
        cache.storeCachedResponse(CachedURLResponse(response: response, data: body), for: request)
        guard cache.cachedResponse(for: request)?.data.count == byteCount else {
            return stage.report.remark("Foundation's URLCache does not give back what was put in (\(byteCount) bytes).")
        }
        contest.addTimed("Foundation's `URLCache`, lookup alone, one entry", share: 100) { operations in
            let start = ContinuousClock.now
            for _ in 0..<operations { precondition(cache.cachedResponse(for: request)?.data.count == byteCount) }
            return ContinuousClock.now - start
        }
    }
}
