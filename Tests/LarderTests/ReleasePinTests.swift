import Foundation
import HTTPModel
import Larder
import Primitives
import TestSupport
import Testing
import Transport
import Wire
import WorldSupport

@Suite("Pins of a release")
struct ReleasePinTests {
    private static let otherKey = Data(count: 32).base64EncodedString()

    private let world: World
    /// The world as a server that the real transport reaches.
    private let plane: ScriptedOrigin
    private let authority: TestAuthority
    private let caddy: CaddyServer
    private let directory: TemporaryDirectory

    init() throws {
        let world = World(origin: "http://content.test")
        self.world = world
        plane = try ScriptedOrigin { request in
            guard let method = HTTPMethod(rawValue: request.method), let url = HTTPURL(world.origin + request.target),
                let reply = world.reply(
                    to: HTTPRequest(method: method, url: url, fields: request.fields), body: request.body)
            else { return .raw("") }
            return .init(reply.body, status: reply.status, reply.fields)
        }
        authority = try TestAuthority()
        caddy = try CaddyServer(
            site: "header Cache-Control no-store\nrespond hello", identity: try authority.identity("origin"))
        directory = try TemporaryDirectory()
    }

    private func client(_ lines: Locked<[String]> = Locked([])) -> LarderClient {
        var configuration = LarderConfiguration(serverURL: plane.origin, apiKey: "key", bundleID: "com.example.app")
        configuration.directory = directory.path("larder")
        configuration.trust.authorityFile = authority.rootFile
        configuration.conditions = ManualConditions()
        configuration.log = { line in lines.withLock { $0.append(line) } }
        return LarderClient(configuration: configuration)
    }

    private func code(_ client: LarderClient) async throws -> URLError.Code? {
        let url = try #require(URL(string: caddy.secureOrigin + "/"))
        do {
            _ = try await client.data(from: url)
            return nil
        } catch { return (error as? URLError)?.code }
    }

    @Test("are in force from the moment on at which the release is known, and from the start after a restart")
    func inForce() async throws {
        try world.publish([:], pins: [PinRule(host: "localhost", digests: [Self.otherKey, Self.otherKey])])
        let first = client()
        #expect(await first.sync().releaseVersion == 1)
        #expect(try await code(first) == .serverCertificateUntrusted)
        await first.shutDown()

        // The journal alone says so now.
        world.isOffline = true
        let second = client()
        #expect(try await code(second) == .serverCertificateUntrusted)
        await second.shutDown()
    }

    @Test("go with the release that had them")
    func replaced() async throws {
        try world.publish([:], pins: [PinRule(host: "localhost", digests: [Self.otherKey, Self.otherKey])])
        let client = client()
        await client.sync()
        #expect(try await code(client) == .serverCertificateUntrusted)
        try world.publish(
            [:], pins: [PinRule(host: "localhost", digests: [Self.otherKey, authority.rootDigest])])
        await client.sync()
        #expect(try await code(client) == nil)
        try world.publish([:])
        await client.sync()
        #expect(try await code(client) == nil)
        await client.shutDown()
    }

    @Test("that only report tell the server and the log which keys a chain showed")
    func reports() async throws {
        try world.publish(
            [:], pins: [PinRule(host: "localhost", digests: [Self.otherKey], isReportOnly: true)])
        let lines = Locked<[String]>([])
        let client = client(lines)
        await client.sync()
        #expect(try await code(client) == nil)
        let line = "localhost: no key in the server's chain is one that the release pins; the request goes on"
        for _ in 0..<1_000_000 where !lines.withLock({ $0.contains(line) }) { await Task.yield() }
        #expect(lines.withLock { $0.contains(line) })
        _ = await client.sendTelemetry()
        let told = world.batches.flatMap(\.items).compactMap { item in
            if case .pinFailure(let failure) = item { failure } else { nil }
        }
        #expect(told.map(\.host) == ["localhost"])
        #expect(told.first?.shownDigests.count == 2)
        #expect(told.first?.shownDigests.last == authority.intermediateDigest)
        await client.shutDown()
    }
}
