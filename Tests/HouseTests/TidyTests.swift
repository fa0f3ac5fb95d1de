import Foundation
import Testing

/// Rules of the house that a text search can hold.
@Suite("Tidiness")
struct TidyTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func files(under folder: String, _ extensions: Set<String>) throws -> [(name: String, text: String)]
    {
        let base = root.appending(path: folder)
        let found = try #require(FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil))
        return try found.compactMap { $0 as? URL }.filter { extensions.contains($0.pathExtension) }
            .map { ("\(folder)/\($0.lastPathComponent)", try String(contentsOf: $0, encoding: .utf8)) }
    }

    @Test("no stub, no note to do it later, no trap on input")
    func nothingIsLeftForLater() throws {
        for file in try Self.files(under: "Sources", ["swift"]) {
            let line = file.text.split(separator: "\n").first { line in
                line.contains("fatalError(") || line.contains(/\b(TODO|FIXME|XXX)\b/) || line.contains("try!")
                    || line.contains(" as! ")
            }
            #expect(line == nil, "\(file.name): \(line ?? "")")
        }
    }

    @Test("a lock that the compiler cannot check says what protects it")
    func uncheckedSendableIsExplained() throws {
        for file in try Self.files(under: "Sources", ["swift"]) {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated()
            where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
                let around = lines[max(0, index - 3)...index].joined(separator: "\n")
                #expect(around.contains("//"), "\(file.name):\(index + 1) \(line)")
            }
        }
    }

    @Test("only the composition roots read the machine's clocks")
    func clocksComeFromOutside() throws {
        let roots: Set<String> = ["Timekeeping.swift"]
        for module in try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Sources").path)
        where !["LarderCLI", "SampleApp"].contains(module) && !module.hasPrefix(".") {
            for file in try Self.files(under: "Sources/\(module)", ["swift"])
            where !roots.contains(where: file.name.hasSuffix) {
                let line = file.text.split(separator: "\n").first {
                    $0.contains(/\bDate\(\)|ContinuousClock\.now|SuspendingClock\.now|Date\.now\b/)
                }
                #expect(line == nil, "\(file.name): \(line ?? "")")
            }
        }
    }

    @Test("tests neither sleep nor name a port")
    func testsAreDeterministic() throws {
        for file in try Self.files(under: "Tests", ["swift"]) where !file.name.hasSuffix("TidyTests.swift") {
            // A random instant to kill at, and a paced origin, are no waiting for something to be done.
            let line = file.text.split(separator: "\n").first {
                !$0.contains("usleep(.random(") && !$0.contains("usleep(chunkPause)")
                    && $0.contains(/Thread\.sleep|\busleep\(|\bsleep\(\d/) || $0.contains(/127\.0\.0\.1:[1-9]\d{3}\b/)
            }
            #expect(line == nil, "\(file.name): \(line ?? "")")
        }
    }
}
