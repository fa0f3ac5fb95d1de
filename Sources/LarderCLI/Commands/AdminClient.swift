import ControlModel
import ControlPlane
import Foundation
import HTTPModel
import Primitives
import Transport
import Wire

/// The admin API from the outside: what the portal's buttons do, over HTTP.
final class AdminClient: Sendable {
    private let server: HTTPURL
    private let transport = CurlTransport()
    private let token = Locked<String?>(nil)

    /// Creates a client for a server's base URL.
    init(server text: String) throws {
        guard let server = HTTPURL(text) else {
            throw CommandFailure("\(text) is not a server's address, such as http://127.0.0.1:8080", .usage)
        }
        self.server = server
    }

    // MARK: - Calls

    func signIn(name: String, password: String) async throws {
        struct Credentials: Encodable {
            var name: String
            var password: String
        }
        struct Session: Decodable { var token: String }
        let session: Session = try await call(.post, "sessions", Credentials(name: name, password: password))
        token.withLock { $0 = session.token }
    }

    func apps() async throws -> [App] {
        struct Apps: Decodable { var apps: [App] }
        let answer: Apps = try await call(.get, "apps")
        return answer.apps
    }

    func createApp(name: String, bundleID: String) async throws -> App {
        try await call(.post, "apps", ["name": name, "bundleID": bundleID])
    }

    func app(id: String) async throws -> App { try await call(.get, "apps/\(encoded(id))") }

    /// Changes what a body names of an app, after RFC 7396.
    func updateApp(id: String, _ change: any Encodable) async throws -> App {
        try await call(.patch, "apps/\(encoded(id))", change)
    }

    /// The same with a document as it stands.
    func updateApp(id: String, document: Data) async throws -> App {
        try await call(.patch, "apps/\(encoded(id))", document: document)
    }

    func apiKeys(appID: String) async throws -> [APIKey] {
        struct Keys: Decodable { var keys: [APIKey] }
        let answer: Keys = try await call(.get, "apps/\(encoded(appID))/keys")
        return answer.keys
    }

    func createAPIKey(appID: String, name: String) async throws -> APIKey {
        try await call(.post, "apps/\(encoded(appID))/keys", ["name": name])
    }

    func revokeAPIKey(appID: String, key: String) async throws -> APIKey {
        try await call(.delete, "apps/\(encoded(appID))/keys/\(encoded(key))")
    }

    func segments(appID: String) async throws -> [Segment] {
        struct Segments: Decodable { var segments: [Segment] }
        let answer: Segments = try await call(.get, "apps/\(encoded(appID))/segments")
        return answer.segments
    }

    @discardableResult
    func createSegment(appID: String, name: String, note: String) async throws -> Segment {
        try await call(.post, "apps/\(encoded(appID))/segments", ["name": name, "note": note])
    }

    func removeSegment(appID: String, name: String) async throws {
        let _: Empty = try await call(.delete, "apps/\(encoded(appID))/segments/\(encoded(name))")
    }

    func items(appID: String, segment: String) async throws -> [SegmentItem] {
        struct Items: Decodable { var items: [SegmentItem] }
        let answer: Items = try await call(.get, "apps/\(encoded(appID))/segments/\(encoded(segment))/items")
        return answer.items
    }

    /// How far an ingest is.
    struct Ingest: Codable {
        var id: String
        var segment: String
        var state: IngestJob.State
        var itemsTotal: Int
        var itemsDone: Int
        var itemsFailed: Int
        var failure: String?
    }

    /// Starts an ingest and waits for its end, telling how far it is.
    func ingest(
        appID: String, segment: String, source: IngestSource, replacesItems: Bool, progress: (Ingest) -> Void
    ) async throws -> Ingest {
        struct Body: Encodable {
            struct Source: Encodable {
                var urls: [String]?
                var sitemap: String?
            }
            var source: Source
            var replacesItems: Bool
        }
        let named: Body.Source =
            switch source {
            case .urls(let urls): .init(urls: urls)
            case .sitemap(let url): .init(sitemap: url)
            }
        let path = "apps/\(encoded(appID))/segments/\(encoded(segment))/ingests"
        var job: Ingest = try await call(.post, path, Body(source: named, replacesItems: replacesItems))
        let timekeeper = SystemTimekeeper()
        while job.state == .running {
            progress(job)
            try await timekeeper.sleep(for: .milliseconds(100))
            job = try await call(.get, "ingests/\(encoded(job.id))")
        }
        progress(job)
        return job
    }

    func preview(appID: String) async throws -> PublicationPreview {
        try await call(.get, "apps/\(encoded(appID))/preview")
    }

    func publish(appID: String) async throws -> Release {
        try await call(.post, "apps/\(encoded(appID))/releases", [String: String]())
    }

    func rollBack(appID: String, version: Int) async throws -> Release {
        try await call(.post, "apps/\(encoded(appID))/rollbacks", ["version": version])
    }

    func releases(appID: String) async throws -> [Release] {
        struct Releases: Decodable { var releases: [Release] }
        let answer: Releases = try await call(.get, "apps/\(encoded(appID))/releases")
        return answer.releases
    }

    func devices(appID: String) async throws -> [DeviceSummary] {
        struct Devices: Decodable { var devices: [DeviceSummary] }
        let answer: Devices = try await call(.get, "apps/\(encoded(appID))/devices?limit=200")
        return answer.devices
    }

    /// A device as the API shows it.
    struct DeviceSummary: Codable {
        var id: String
        var platform: String
        var sdkVersion: String
        var registeredAt: Date
        var lastSeenAt: Date
        /// The service that its notifications go through, when it has told a push token.
        var pushService: String?
    }

    func statistics(appID: String) async throws -> AppStatistics {
        try await call(.get, "apps/\(encoded(appID))/statistics")
    }

    func events(appID: String) async throws -> [EventStatistics] {
        struct Events: Decodable { var events: [EventStatistics] }
        let answer: Events = try await call(.get, "apps/\(encoded(appID))/events")
        return answer.events
    }

    func pinFailures(appID: String) async throws -> [PinFailureSum] {
        struct PinFailures: Decodable { var pinFailures: [PinFailureSum] }
        let answer: PinFailures = try await call(.get, "apps/\(encoded(appID))/pin-failures")
        return answer.pinFailures
    }

    /// A line of a timeline: one of the two is there.
    struct TimelineLine: Codable {
        var event: AppEvent?
        var exchange: ExchangeRecord?
    }

    func timeline(appID: String, deviceID: String) async throws -> [TimelineLine] {
        struct Timeline: Decodable { var entries: [TimelineLine] }
        let answer: Timeline = try await call(.get, "apps/\(encoded(appID))/devices/\(encoded(deviceID))/timeline")
        return answer.entries
    }

    func forgetDevice(appID: String, id: String) async throws {
        let _: Empty = try await call(.delete, "apps/\(encoded(appID))/devices/\(encoded(id))")
    }

    /// Ends the client's connections.
    func close() { transport.shutDown() }

    // MARK: - HTTP

    /// The answer to a call that has none.
    private struct Empty: Decodable {}

    private func encoded(_ segment: String) -> String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        return segment.addingPercentEncoding(withAllowedCharacters: allowed) ?? segment
    }

    private func call<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, _ body: (any Encodable)? = nil
    ) async throws -> Answer {
        try await call(method, path, document: body.map { try WireCoding.encode($0) })
    }

    private func call<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, document: Data?
    ) async throws -> Answer {
        guard let url = server.resolving("/v1/admin/\(path)") else {
            throw CommandFailure("\(path) is no path of the admin API")
        }
        var request = HTTPRequest(method: method, url: url, fields: [.accept: "application/json"])
        if let token = token.withLock({ $0 }) { request.fields[.authorization] = "Bearer \(token)" }
        if document != nil { request.fields[.contentType] = "application/json" }
        let answer: Data
        let status: Int
        do {
            let response = try await transport.send(TransportRequest(request, body: document.map(RequestBody.data)))
            status = response.response.status
            answer = try await response.body.collect(upTo: 64 << 20)
        } catch let error as TransportError {
            throw CommandFailure("\(server): \(error.description). Is 'larder serve' running there?", .unavailable)
        }
        guard (200..<300).contains(status) else { throw failure(status, answer, of: "\(method) /v1/admin/\(path)") }
        if let empty = Empty() as? Answer { return empty }
        return try WireCoding.decode(Answer.self, from: answer)
    }

    private func failure(_ status: Int, _ answer: Data, of call: String) -> CommandFailure {
        do {
            let problem = try WireCoding.decode(ProblemDocument.self, from: answer)
            return CommandFailure("\(problem.title): \(problem.detail)")
        } catch {
            return CommandFailure("\(call) answered \(status): is \(server) a Larder server?")
        }
    }
}
