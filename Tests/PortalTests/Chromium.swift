import Foundation
import Primitives
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
        let collected = Locked(Data())
        return try await withCheckedThrowingContinuation { continuation in
            output.fileHandleForReading.readabilityHandler = { handle in
                let chunk = handle.availableData
                guard chunk.isEmpty else { return collected.withLock { $0.append(chunk) } }
                handle.readabilityHandler = nil
                continuation.resume(returning: String(decoding: collected.withLock { $0 }, as: UTF8.self))
            }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
