import Foundation
import Testing

/// Holds the sources against the table of floors in ARCHITECTURE.md.
@Suite("The import law")
struct ImportLawTests {
    private let root: URL
    /// What the table says of each module.
    private let law: [String: (floor: Int, imports: Set<String>)]

    init() throws {
        root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
        var law: [String: (floor: Int, imports: Set<String>)] = [:]
        for row in text.matches(of: /(?m)^\| (\d) \| `(\w+)` \| ([^|]*) \|/) {
            let imports = row.output.3.matches(of: /`(\w+)`/).map { String($0.output.1) }
            law[String(row.output.2)] = (try #require(Int(row.output.1)), Set(imports))
        }
        self.law = law
    }

    private static let systemModules: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Dispatch", "Glibc", "Darwin",
        "Musl", "Network", "Security", "Swift", "Synchronization", "UIKit",
    ]

    /// The modules that a file's import lines name.
    private func imports(of file: URL) throws -> Set<String> {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.matches(
            of:
                /(?m)^\s*(?:@\w+(?:\(\w+\))? )*(?:(?:public|package|internal|private|fileprivate) )?import (?:(?:struct|class|enum|func|protocol|let|var|typealias) )?(\w+)/
        )
        return Set(lines.map { String($0.output.1) })
    }

    private func sources(of module: String) throws -> [URL] {
        let folder = root.appending(path: "Sources").appending(path: module)
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        return files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    @Test("every module of Sources stands in the table, and no other")
    func everyModuleStandsInTheTable() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
        let modules = folders.filter { !$0.hasPrefix(".") }
        #expect(Set(law.keys) == Set(modules))
    }

    @Test("a module imports what the table grants it, and nothing else of the house")
    func importsAreGranted() throws {
        for (module, row) in law {
            for file in try sources(of: module) {
                let imported = try imports(of: file).subtracting(Self.systemModules)
                let extra = imported.subtracting(row.imports).subtracting([module])
                #expect(extra.isEmpty, "\(module)/\(file.lastPathComponent) imports \(extra.sorted())")
            }
        }
    }

    @Test("the table grants only lower floors")
    func arrowsPointDown() throws {
        for (module, row) in law {
            for imported in row.imports {
                let target = try #require(law[imported], "\(module) imports \(imported), which the table lacks")
                #expect(
                    target.floor < row.floor, "\(module) (floor \(row.floor)) imports \(imported) (\(target.floor))")
            }
        }
    }

    @Test("what the table grants is used")
    func grantsAreUsed() throws {
        for (module, row) in law where !row.imports.isEmpty {
            let used = try sources(of: module).reduce(into: Set<String>()) { try $0.formUnion(imports(of: $1)) }
            #expect(row.imports.subtracting(used).isEmpty, "\(module) does not use \(row.imports.subtracting(used))")
        }
    }

    @Test("the lowest floor of messages needs no full Foundation")
    func messagesNeedNoFullFoundation() throws {
        for module in ["HTTPModel", "HTTPCaching"] {
            for file in try sources(of: module) {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("import FoundationNetworking"), "\(file.lastPathComponent)")
                let plain = text.contains(/(?m)^(public )?import Foundation$/)
                #expect(!plain, "\(file.lastPathComponent) imports Foundation unconditionally")
            }
        }
    }
}
