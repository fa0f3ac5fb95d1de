import ContentStore
import Foundation
import HTTPModel
import Prepositioning
import Primitives
import TestSupport
import Testing
import Transport
import Wire
import WorldSupport

/// Downloads ahead of need through the real transport, from a server with a certificate of its own.
@Suite struct TrustedDownloadTests {
    private let server: WorldServer
    private let caddy: CaddyServer
    private let authority: TestAuthority
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        let authority = try TestAuthority()
        let identity = try authority.identity("origin")
        var caddy: CaddyServer?
        server = try WorldServer { origin in
            let front = try CaddyServer(site: "reverse_proxy \(origin)", identity: identity)
            caddy = front
            return front.secureOrigin
        }
        self.caddy = try #require(caddy)
        self.authority = authority
        server.world.put("/a", "one")
        server.world.put("/b", "two")
        try server.world.publish(["news": ["/a", "/b"]])
    }

    private func prepositioner(over transport: CurlTransport) throws -> Prepositioner {
        let store = try ContentStore(
            configuration: .init(directory: directory.path("store")), timekeeper: SystemTimekeeper())
        let made = try Prepositioner(
            configuration: .init(
                serverURL: #require(HTTPURL(caddy.secureOrigin)), apiKey: "key", bundleID: "com.example.app",
                directory: directory.path("prepositioning"), sdkVersion: "1.0"), store: store,
            transport: transport, activity: ActivityGate(), timekeeper: SystemTimekeeper())
        made.subscribe(to: ["news"])
        return made
    }

    @Test("asks the evaluator, which may be replaced between two syncs")
    func evaluator() async throws {
        let transport = CurlTransport()
        let prepositioner = try prepositioner(over: transport)
        #expect(await prepositioner.sync().failures.first?.contains("certificate") == true)
        let questions = Locked<[TrustQuestion]>([])
        transport.setTrustEvaluator { question in
            questions.withLock { $0.append(question) }
            return .accept
        }
        #expect(await prepositioner.sync().itemsDownloaded == 2)
        #expect(questions.withLock { $0.map(\.trust.port) } == [caddy.securePort])
        transport.setTrustEvaluator { _ in .reject }
        #expect(await prepositioner.sync().failures.first?.contains("the app rejects") == true)
        // What is on the device stays.
        #expect(prepositioner.status.activeVersions == ["news": 1])
    }

    @Test("keeps to the pinned keys")
    func pins() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.trust.authorityFile = authority.rootFile
        let transport = CurlTransport(configuration: configuration)
        let prepositioner = try prepositioner(over: transport)
        // The server's own host is spared by a rule without end; the same name stands for the origin here.
        transport.setPinnedKeys(
            [PinnedKeys(host: "localhost", digests: [Data(count: 32).base64EncodedString()])], sparing: "localhost")
        #expect(await prepositioner.sync().itemsDownloaded == 2)
        server.world.put("/a", "other")
        try server.world.publish(["news": ["/a", "/b"]])
        transport.setPinnedKeys([PinnedKeys(host: "localhost", digests: [Data(count: 32).base64EncodedString()])])
        #expect(await prepositioner.sync().failures.first?.contains("the release pins") == true)
        transport.setPinnedKeys([PinnedKeys(host: "localhost", digests: [authority.intermediateDigest])])
        #expect(await prepositioner.sync().itemsDownloaded == 1)
    }
}
