import Foundation
import Larder
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
    init(
        _ segments: [String: [String]], bundleID: String = "com.example.news", in directory: TemporaryDirectory
    ) async throws {
        self.directory = directory
        program = try await RunningProgram(
            ["serve", "--data", directory.path("server"), "--port", "0"],
            environment: [Self.environmentName: Self.password])
        let admin = Administrator(url: program.base, directory: directory)
        try await admin("apps", "create", "News", "--bundle-id", bundleID)
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

    /// Publishes a release that switches the SDK off.
    func switchOff() async throws {
        let session = try await call(.post, "/sessions", #"{"name":"admin","password":"\#(Self.password)"}"#)
        let token = try #require(session["token"] as? String)
        let app = try #require(try await admin("apps", "list").split(separator: " ").first)
        _ = try await call(.patch, "/apps/\(app)", #"{"policy":{"isEnabled":false}}"#, token: token)
        try await admin("publish")
    }

    private func call(
        _ method: HTTPMethod, _ path: String, _ body: String, token: String? = nil
    ) async throws -> [String: Any] {
        let address = try #require(HTTPURL("\(url)/v1/admin\(path)"))
        var request = HTTPRequest(method: method, url: address, fields: ["Content-Type": "application/json"])
        if let token { request.fields.append(.authorization, "Bearer \(token)") }
        let transport = CurlTransport()
        defer { transport.shutDown() }
        let response = try await transport.send(TransportRequest(request, body: .data(Data(body.utf8))))
        let data = try await response.body.collect()
        try #require(response.response.status < 300, "\(String(decoding: data, as: UTF8.self))")
        return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
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
