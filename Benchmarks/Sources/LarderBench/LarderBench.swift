import Foundation
import Glibc

/// Measures hits, misses, stores and downloads against their floors and peers, and prints Markdown tables.
///
///     LarderBench [--quick] [CHAPTER ...]
@main
enum LarderBench {
    /// The chapters in the order in which they are measured and printed.
    private static let chapters: [(name: String, run: @Sendable (Stage) async throws -> Void)] = [
        ("hit", HitBench.run),
        ("at-once", StoreBench.runAtOnce),
        ("sizes", StoreBench.runSizes),
        ("writes", StoreBench.runWrites),
        ("session", SessionBench.run),
        ("miss", SessionBench.runMisses),
        ("proxy", ProxyBench.run),
        ("bulk", BulkBench.run),
    ]

    static func main() async throws {
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--cold" { return try await StoreBench.cold(Array(arguments.dropFirst())) }
        if arguments.first == "--bulk-client" { return try await BulkClient.run(Array(arguments.dropFirst())) }
        if arguments.first == "--timed" { return try BulkPeer.runTimed(Array(arguments.dropFirst())) }
        let asked = arguments.filter { !$0.hasPrefix("--") }
        let strange =
            asked.filter { name in !chapters.contains { $0.name == name } }
            + arguments.filter { $0.hasPrefix("--") && $0 != "--quick" }
        guard strange.isEmpty else {
            let names = chapters.map(\.name).joined(separator: ", ")
            print("unknown: \(strange.joined(separator: ", ")). The chapters are \(names); the option is --quick.")
            exit(64)
        }
        let stage = try Stage(isQuick: arguments.contains("--quick"))
        for chapter in chapters where asked.isEmpty || asked.contains(chapter.name) {
            try await chapter.run(stage)
        }
        await stage.close()
        print(stage.report.markdown, terminator: "")
    }
}
