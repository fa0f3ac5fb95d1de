import ControlModel
import ControlPlane
import Foundation
import Primitives
import SQLiteRepository
import TestSupport
import Testing
import Transport
import Wire

/// A control plane over a real repository in a temporary directory, with a scripted origin and a clock moved by hand.
struct TestServer {
    let directory: TemporaryDirectory
    let repository: any Repository
    let origin = ScriptedOrigin()
    let timekeeper = ManualTimekeeper()
    let plane: ControlPlane

    init(configuration: ControlPlane.Configuration = .init()) async throws {
        directory = try TemporaryDirectory()
        repository = try SQLiteRepository(path: directory.path("server.sqlite"))
        plane = try await ControlPlane(
            configuration: configuration, repository: repository, transport: origin, timekeeper: timekeeper)
    }

    /// Makes an app with one segment "news".
    func makeApp() async throws -> App {
        let app = try await plane.createApp(name: "News", bundleID: "com.example.news")
        _ = try await plane.createSegment(appID: app.id, name: "news", note: "")
        return app
    }

    /// Ingests URLs into "news" and waits for the end.
    @discardableResult
    func ingest(_ urls: [String], into app: App, segment: String = "news", replacing: Bool = false) async throws
        -> IngestJob
    {
        try await ingest(.urls(urls), into: app, segment: segment, replacing: replacing)
    }

    @discardableResult
    func ingest(_ source: IngestSource, into app: App, segment: String = "news", replacing: Bool = false) async throws
        -> IngestJob
    {
        let job = try await plane.startIngest(
            appID: app.id, segment: segment, source: source, replacesItems: replacing)
        return try await plane.waitForIngest(id: job.id)
    }

    func item(_ url: String, of app: App) async throws -> SegmentItem {
        try #require(await plane.items(appID: app.id, segment: "news").first { $0.url == url })
    }

    /// Registers a device with a new key.
    func makeDevice(_ app: App) async throws -> (device: Device, response: RegistrationResponse, key: APIKey) {
        let key = try await plane.createAPIKey(appID: app.id, name: "test")
        let response = try await plane.register(request(key))
        return (try await plane.device(id: response.deviceID, token: response.deviceToken), response, key)
    }

    func request(_ key: APIKey, deviceID: String? = nil) -> RegistrationRequest {
        RegistrationRequest(
            apiKey: key.key, bundleID: "com.example.news", deviceID: deviceID, platform: "Linux", sdkVersion: "1.0")
    }
}

/// Expects a refusal with a status and a type.
func expectProblem(
    _ status: Int, _ type: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async {
    do {
        _ = try await body()
        Issue.record("expected \(type), but it was accepted", sourceLocation: sourceLocation)
    } catch let problem as ProblemDocument {
        #expect(problem.status == status, sourceLocation: sourceLocation)
        #expect(problem.type == "/problems/\(type)", sourceLocation: sourceLocation)
        #expect(!problem.detail.isEmpty && !problem.title.isEmpty, sourceLocation: sourceLocation)
    } catch {
        Issue.record("expected \(type), but got \(error)", sourceLocation: sourceLocation)
    }
}
