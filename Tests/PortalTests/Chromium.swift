import Foundation
import Testing

/// A real browser without a window.
struct Chromium {
    static let path = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first(
        where: FileManager.default.isExecutableFile)

    /// Loads a page and returns the document as it stands once its scripts have run.
    static func document(of url: String, width: Int) async throws -> String {
        try await run(["--dump-dom", "--window-size=\(width),900", "--virtual-time-budget=4000", url])
    }

    /// Takes a picture of a page.
    static func picture(of url: String, width: Int, height: Int, to file: String) async throws {
        _ = try await run([
            "--screenshot=\(file)", "--window-size=\(width),\(height)", "--hide-scrollbars",
            "--virtual-time-budget=4000", url,
        ])
    }

    private static func run(_ arguments: [String]) async throws -> String {
        let profile = FileManager.default.temporaryDirectory.appendingPathComponent(
            "larder-chromium-\(UUID().uuidString)")
        defer { _ = try? FileManager.default.removeItem(at: profile) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path, "chromium is not installed"))
        process.arguments =
            [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--user-data-dir=\(profile.path)",
            ] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // A thread that reads: FileHandle's readability handler can miss the end of a pipe on a busy machine.
        return await withCheckedContinuation { continuation in
            Thread {
                let bytes = output.fileHandleForReading.readDataToEndOfFile()
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }.start()
        }
    }
}
