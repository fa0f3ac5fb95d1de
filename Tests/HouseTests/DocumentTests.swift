import Foundation
import Testing

/// Holds the documents against what they speak of.
@Suite("The documents")
struct DocumentTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static var markdown: [String] {
        get throws {
            let docs = try #require(FileManager.default.enumerator(atPath: root.appending(path: "docs").path))
            return ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
                + docs.compactMap { $0 as? String }.filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
        }
    }

    @Test("every Swift sample stands in a snippet that the build compiles")
    func samplesCompile() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "Snippets").path)
        let snippets = try names.map { try Self.text("Snippets/\($0)") }
        var count = 0
        for file in try Self.markdown {
            for match in try Self.text(file).matches(of: /```swift\n((?:[^`]|`(?!``))*)```/) {
                let sample = String(match.output.1)
                count += 1
                let compiles = snippets.contains { $0.contains(sample) } || sample.hasPrefix(".package(")
                #expect(compiles, "\(file): \(sample)")
            }
        }
        #expect(count >= 4)
    }

    @Test("every link between documents leads somewhere")
    func linksLeadSomewhere() throws {
        for file in try Self.markdown {
            let folder = Self.root.appending(path: file).deletingLastPathComponent()
            for match in try Self.text(file).matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
                let target = folder.appending(path: String(match.output.1)).standardized.path
                #expect(FileManager.default.fileExists(atPath: target), "\(file) links to \(match.output.1)")
            }
        }
    }

    @Test("every file that a document names is there")
    func namedFilesAreThere() throws {
        for file in try Self.markdown where file != "CHANGELOG.md" {
            for match in try Self.text(file).matches(of: /`((?:Sources|Tests|docs|scripts)\/[\w\/.+-]+)`/) {
                let target = Self.root.appending(path: String(match.output.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(file) names \(match.output.1)")
            }
        }
    }

    @Test("every test that the table of interception names exists")
    func namedTestsExist() throws {
        let table = try Self.text("docs/interception.md")
        let tests = Self.root.appending(path: "Tests/InterceptionTests")
        let sources = try FileManager.default.contentsOfDirectory(atPath: tests.path)
            .map { try String(contentsOf: tests.appending(path: $0), encoding: .utf8) }.joined()
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("|") && $0.contains("/\"") }
        #expect(rows.count > 15)
        for row in rows {
            for match in row.matches(of: /"([^"…]+)"/) {
                #expect(sources.contains("\"\(match.output.1)\""), "no test says: \(match.output.1)")
            }
            for match in row.matches(of: /(\w+)\/["*]/) {
                #expect(sources.contains("struct \(match.output.1)"), "no suite \(match.output.1)")
            }
        }
    }
}
