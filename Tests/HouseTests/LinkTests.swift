import Foundation
import Testing

/// What the modules on the ground floor may bring into an app.
@Suite struct LinkTests {
    @Test("HTTPModel links FoundationEssentials and nothing larger", .timeLimit(.minutes(3)))
    func httpModel() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", root.appending(path: "scripts/link-test").path]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("libFoundationEssentials.so"))
    }
}
