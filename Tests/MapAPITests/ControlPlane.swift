import Foundation
import TestSupport
import Testing

/// A server of the product, as a process of its own, with an app that has segments.
final class ControlPlane: Sendable {
    private static let password = "a long password"
    private static let environmentName = "LARDER_ADMIN_PASSWORD"

    let apiKey: String
    /// `http://127.0.0.1:<port>`
    var url: String { program.base }
    private let program: RunningProgram
    private let directory: TemporaryDirectory

    /// Starts a server and publishes segments of URLs.
    init(_ segments: [String: [String]], in directory: TemporaryDirectory) async throws {
        self.directory = directory
        program = try await RunningProgram(
            ["serve", "--data", directory.path("server"), "--port", "0"],
            environment: [Self.environmentName: Self.password])
        let admin = Administrator(url: program.base, directory: directory)
        try await admin("apps", "create", "News", "--bundle-id", "com.example.news")
        apiKey = try await admin("keys", "create", "first").trimmingCharacters(in: .newlines)
        for (name, urls) in segments {
            try await admin("segments", "create", name)
            try await admin(["ingest", name] + urls.flatMap { ["--url", $0] })
        }
        try await admin("publish")
    }

    /// Runs `larder admin`.
    @discardableResult
    func admin(_ words: String...) async throws -> String {
        try await Administrator(url: url, directory: directory)(words)
    }

    private struct Administrator {
        let url: String
        let directory: TemporaryDirectory

        @discardableResult
        func callAsFunction(_ words: String...) async throws -> String { try await self(words) }

        @discardableResult
        func callAsFunction(_ words: [String]) async throws -> String {
            let result = try await Program.run(
                ["admin"] + words,
                environment: ["LARDER_SERVER": url, ControlPlane.environmentName: ControlPlane.password],
                in: directory)
            try #require(result.status == 0, "\(words): \(result.errors)\(result.output)")
            return result.output
        }
    }
}
