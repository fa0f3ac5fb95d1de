import AdminAPI
import ControlPlane
import DeviceAPI
import Foundation
import HTTPServer
import Primitives
import SQLiteRepository
import TestSupport
import Testing
import Transport
import Wire

/// A whole server on a free port, with a real repository, real fetches, and an origin of its own to fetch from.
final class APIServer: Sendable {
    let directory: TemporaryDirectory
    let timekeeper = ManualTimekeeper()
    let plane: ControlPlane
    let server: HTTPServer
    let origin: HTTPServer
    let contract: Contract
    private let transport: CurlTransport

    var originURL: String { "http://127.0.0.1:\(origin.port)" }

    init() async throws {
        directory = try TemporaryDirectory()
        transport = CurlTransport()
        plane = try await ControlPlane(
            repository: SQLiteRepository(path: directory.path("server.sqlite")), transport: transport,
            timekeeper: timekeeper)
        try await plane.setAdministrator(name: "ada", password: "correct horse")
        server = try HTTPServer(
            configuration: HTTPServer.Configuration(),
            routes: DeviceAPI.routes(plane) + AdminAPI.routes(plane, timekeeper: timekeeper), timekeeper: timekeeper)
        let site = directory.path("site")
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        for name in ["one", "two", "three"] {
            try Data("<p>\(name)</p>".utf8).write(to: URL(filePath: "\(site)/\(name).html"))
        }
        origin = try HTTPServer(
            configuration: HTTPServer.Configuration(), routes: [StaticFiles(directory: site).route()],
            timekeeper: SystemTimekeeper())
        let root = "http://127.0.0.1:\(origin.port)"
        let locations = "<url><loc>\(root)/one.html</loc></url><url><loc>\(root)/two.html</loc></url>"
        let sitemap = "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\(locations)</urlset>"
        try Data(sitemap.utf8).write(to: URL(filePath: "\(site)/sitemap.xml"))
        contract = try Contract()
    }

    func stop() async {
        await plane.shutDown()
        await server.stop()
        await origin.stop()
        transport.shutDown()
    }

    /// Sends a request and holds the answer against the API's description.
    @discardableResult
    func call(
        _ method: String, _ target: String, body: Data? = nil, token: String? = nil, fields: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RawResponse {
        var fields = fields
        if let token { fields["Authorization"] = "Bearer \(token)" }
        if let body { fields["Content-Length"] = "\(body.count)" }
        let lines = fields.map { "\($0.key): \($0.value)\r\n" }.joined()
        let client = try RawClient(port: Int(server.port))
        try await client.send(
            Data("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(lines)\r\n".utf8) + (body ?? Data()))
        let response = try await client.response(toHead: method == "HEAD")
        contract.check(response, to: method, target, requestBody: body, sourceLocation: sourceLocation)
        return response
    }

    func call(
        _ method: String, _ target: String, json: String, token: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RawResponse {
        try await call(
            method, target, body: Data(json.utf8), token: token, fields: ["Content-Type": "application/json"],
            sourceLocation: sourceLocation)
    }

    func signIn() async throws -> String {
        let response = try await call(
            "POST", "/v1/admin/sessions", json: #"{"name":"ada","password":"correct horse"}"#)
        return try response.string("token")
    }

    /// An app with one key.
    func makeApp(token: String) async throws -> (app: String, key: String) {
        let app = try await call(
            "POST", "/v1/admin/apps", json: #"{"name":"News","bundleID":"com.example.news"}"#, token: token
        ).string("id")
        let key = try await call("POST", "/v1/admin/apps/\(app)/keys", json: #"{"name":"k"}"#, token: token)
        return (app, try key.string("key"))
    }

    /// A segment with items from the origin.
    func makeSegment(_ name: String, of app: String, token: String) async throws {
        let root = "/v1/admin/apps/\(app)/segments"
        _ = try await call("POST", root, json: #"{"name":"\#(name)"}"#, token: token)
        let ingest = try await call(
            "POST", "\(root)/\(name)/ingests",
            json: #"{"source":{"sitemap":"\#(originURL)/sitemap.xml"},"replacesItems":true}"#, token: token)
        #expect(ingest.status == 202)
        _ = try await plane.waitForIngest(id: try ingest.string("id"))
    }

    func register(key: String) async throws -> RegistrationResponse {
        let request = RegistrationRequest(
            apiKey: key, bundleID: "com.example.news", deviceID: nil, platform: "Linux", sdkVersion: "1.0")
        let response = try await call(
            "POST", "/v1/devices", body: WireCoding.encode(request), fields: ["Content-Type": "application/json"])
        #expect(response.status == 201)
        return try WireCoding.decode(RegistrationResponse.self, from: response.body)
    }
}

extension RawResponse {
    var json: JSONValue {
        get throws { try JSONDecoder().decode(JSONValue.self, from: body) }
    }

    /// A text member of a JSON object.
    func string(_ name: String) throws -> String {
        guard case .object(let members) = try json, case .string(let text)? = members[name] else {
            throw ProblemDocument(type: "", title: "", status: status, detail: "no \(name) in \(text)")
        }
        return text
    }

    var problem: ProblemDocument {
        get throws {
            #expect(fields["content-type"] == "application/problem+json")
            return try WireCoding.decode(ProblemDocument.self, from: body)
        }
    }
}
