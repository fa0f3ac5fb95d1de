import Foundation

/// A cache in a program of its own: asked for a number of hits, it answers with the nanoseconds they took.
struct HitPeer {
    let name: String
    private let program: String
    /// It runs only one of so many operations of a round, being so much slower.
    let share: Int

    /// The peers that `peers/prepare` made ready.
    static let all = [
        HitPeer(name: "OkHttp's cache (Java)", program: "okhttp", share: 1),
        HitPeer(name: "hishel with httpx (Python, SQLite)", program: "hishel", share: 20),
        HitPeer(name: "requests-cache (Python, SQLite)", program: "requests-cache", share: 20),
    ]

    /// Why it cannot be measured; `nil` when it can.
    var missing: String? {
        if FileManager.default.isExecutableFile(atPath: Self.directory + "/" + program) { return nil }
        let reason = try? String(contentsOfFile: "\(Self.directory)/\(program).missing", encoding: .utf8)
        return reason?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "not prepared; `make bench` does that"
    }

    /// Fills its cache in one process and begins another one, which has the response on disk only.
    func start(directory: String, url: String, byteCount: Int) throws -> Companion {
        let own = "\(directory)/\(program)-\(byteCount)"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        let command = ["\(Self.directory)/\(program)", own, url, String(byteCount)]
        let filling = try Companion(command)
        _ = try filling.ask("2")
        guard filling.finish() == 0 else { throw Companion.Failure(description: "\(name) cannot fill its cache") }
        return try Companion(command)
    }

    /// Runs so many hits.
    static func run(_ program: Companion, _ operations: Int) throws -> Duration {
        let answer = try program.ask(String(operations))
        guard let nanoseconds = Int64(answer) else { throw Companion.Failure(description: answer) }
        return .nanoseconds(nanoseconds)
    }

    private static var directory: String {
        ProcessInfo.processInfo.environment["LARDER_BENCH_PEERS"] ?? "Benchmarks/.build/peers"
    }
}
