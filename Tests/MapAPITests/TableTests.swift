import Foundation
import Testing

/// Holds the table of names, docs/map-api.md, against the sources, and against the list of names where that is at hand.
@Suite("The table of the retired names") struct TableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let list = ["../shared", "../../shared"].map {
        root.appending(path: "\($0)/reference/map-api.md").standardized
    }.first { FileManager.default.fileExists(atPath: $0.path) }

    private static func table() throws -> String {
        try String(contentsOf: root.appending(path: "docs/map-api.md"), encoding: .utf8)
    }

    /// Name, meaning and tests of every row.
    private static func rows() throws -> [[Substring]] {
        try table().split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| name |") && !$0.hasPrefix("| ---")
        }
        .map { $0.split(separator: "|").dropFirst(0).map { $0.trimmingPrefix(" ") } }
    }

    private static func names(in text: String) -> Set<String> {
        Set(text.matches(of: /`([^`\n]+)`/).map { String($0.output.1) })
    }

    @Test("has every name of the list", .enabled(if: list != nil))
    func everyName() throws {
        let list = try String(contentsOf: #require(Self.list), encoding: .utf8)
        let table = try Self.table()
        let missing = Self.names(in: list).subtracting(Self.names(in: table)).filter { !$0.hasPrefix("../") }
        #expect(missing.isEmpty, "\(missing.sorted())")
        // The values of the enumerations, and the codes of the errors, stand in the list without marks.
        var count = 0
        let values = list.split(separator: "Enumerations").last.map(String.init) ?? ""
        for match in values.prefix(while: { $0 != "#" }).matches(of: /\b([a-z]\w+)\s+(-?\d+|0x\d+)\b/) {
            let (name, value) = (match.output.1.lowercased(), match.output.2)
            let isThere = table.matches(of: /`(\w+)` (-?\d+|0x\d+)\b/).contains {
                $0.output.1.lowercased().hasSuffix(name) && $0.output.2 == value
            }
            #expect(isThere, "\(match.output.0)")
            count += 1
        }
        #expect(count >= 50)
    }

    @Test("has tests in every row, and each of them is in the sources")
    func everyRow() throws {
        let rows = try Self.rows()
        #expect(rows.count > 80)
        var sources: [String: [String]] = [:]
        for row in rows {
            #expect(row.count == 3, "\(row)")
            let cell = try #require(row.last)
            let tests = cell.matches(of: /(?:(\w+)\.)?(\w+)\/((?:"[^"]+"(?:, )?)+)/)
            #expect(!tests.isEmpty, "no test: \(row)")
            for test in tests {
                let target = test.output.1.map(String.init) ?? "MapAPITests"
                if sources[target] == nil { sources[target] = try Self.sources(of: target) }
                let suite = sources[target, default: []].filter {
                    $0.contains("struct \(test.output.2) ") || $0.contains("struct \(test.output.2):")
                        || $0.contains("struct \(test.output.2)\n")
                }
                #expect(!suite.isEmpty, "no suite \(target).\(test.output.2)")
                for title in test.output.3.matches(of: /"([^"]+)"/) {
                    #expect(
                        suite.contains { $0.contains("\"\(title.output.1)\"") },
                        "no test \(test.output.2)/\(title.output.0)")
                }
            }
        }
    }

    private static func sources(of target: String) throws -> [String] {
        let folder = root.appending(path: "Tests/\(target)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
    }
}
