import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

@testable import Transport

extension TransportTests {
    /// Rules about keys that come from a release.
    @Suite("Pinned keys")
    struct PinTests {
        private static let authority = Result { try TestAuthority() }
        private static let otherKey = Data(count: 32).base64EncodedString()

        /// A server with a certificate of the test's authority, and a transport that trusts it.
        private struct Scene {
            let authority: TestAuthority
            let identity: TestAuthority.Identity
            let caddy: CaddyServer
            let transport: CurlTransport
            let time = ManualTimekeeper()
            let mismatches: Locked<[PinMismatch]>

            init(_ name: String, isTrusting: Bool = true) throws {
                authority = try PinTests.authority.get()
                identity = try authority.identity(name)
                caddy = try CaddyServer(
                    site: "respond /connection \"{http.request.remote.port}\"\nrespond hello", identity: identity)
                let mismatches = Locked<[PinMismatch]>([])
                self.mismatches = mismatches
                var configuration = CurlTransport.Configuration()
                if isTrusting { configuration.trust.authorityFile = authority.rootFile }
                configuration.onPinMismatch = { mismatch in mismatches.withLock { $0.append(mismatch) } }
                transport = CurlTransport(configuration: configuration, timekeeper: time)
            }

            var told: [PinMismatch] { mismatches.withLock { $0 } }

            func text(
                _ path: String = "/", _ version: TransportRequest.Version = .automatic
            ) async throws -> String { try await transport.text(request(caddy.secureOrigin + path, version: version)) }
        }

        private func pin(
            _ digests: [String], expiresAt: Date? = nil, isReportOnly: Bool = false
        ) -> PinnedKeys {
            PinnedKeys(
                host: "LocalHost", digests: [Self.otherKey] + digests, expiresAt: expiresAt, isReportOnly: isReportOnly)
        }

        @Test(
            "wants a key of the leaf, of the authority between or of the root, on every version of HTTP",
            arguments: TransportRequest.Version.allCases)
        func anyOfTheChain(version: TransportRequest.Version) async throws {
            let scene = try Scene("chain-\(version.rawValue)")
            for digest in [
                scene.identity.digest, scene.authority.intermediateDigest, scene.authority.rootDigest,
            ] {
                scene.transport.setPinnedKeys([pin([digest])])
                for _ in 0..<2 { #expect(try await scene.text("/", version) == "hello") }
            }
            scene.transport.setPinnedKeys([pin([])])
            let refused = await #expect(throws: TransportError.self) { try await scene.text("/", version) }
            #expect(refused?.code == .pinMismatch)
            #expect(refused?.description.contains("localhost") == true)
            #expect(scene.told.isEmpty)
            scene.transport.setPinnedKeys([])
            #expect(try await scene.text("/", version) == "hello")
            // A connection from the time without rules is not used under them.
            scene.transport.setPinnedKeys([pin([])])
            #expect(await code { _ = try await scene.text("/", version) } == .pinMismatch)
        }

        @Test("leaves the system's judgement and other hosts as they are")
        func besides() async throws {
            let scene = try Scene("besides", isTrusting: false)
            scene.transport.setPinnedKeys([pin([scene.identity.digest])])
            #expect(await code { _ = try await scene.text() } == .certificateRejected)
            scene.transport.setTrustEvaluator { _ in .accept }
            #expect(try await scene.text() == "hello")
            scene.transport.setPinnedKeys([pin([])])
            #expect(await code { _ = try await scene.text() } == .pinMismatch)
            scene.transport.setPinnedKeys([PinnedKeys(host: "example.com", digests: [Self.otherKey])])
            #expect(try await scene.text() == "hello")
        }

        @Test("goes on when a server changes to the backup key, and stops when it changes to another")
        func rotation() async throws {
            let scene = try Scene("before")
            let backup = try scene.authority.identity("backup"), stranger = try scene.authority.identity("stranger")
            scene.transport.setPinnedKeys([
                PinnedKeys(host: "localhost", digests: [scene.identity.digest, backup.digest])
            ])
            #expect(try await scene.text() == "hello")
            let ports = (scene.caddy.port, scene.caddy.securePort)
            scene.caddy.stop()
            let second = try CaddyServer(site: "respond backup", ports: ports, identity: backup)
            #expect(try await scene.text() == "backup")
            second.stop()
            let third = try CaddyServer(site: "respond stranger", ports: ports, identity: stranger)
            #expect(await code { _ = try await scene.text() } == .pinMismatch)
            third.stop()
        }

        @Test("an expired rule says nothing, from the moment on at which it expires")
        func expiry() async throws {
            let scene = try Scene("expiry")
            scene.transport.setPinnedKeys([pin([], expiresAt: scene.time.now + 60)])
            #expect(await code { _ = try await scene.text() } == .pinMismatch)
            scene.time.advance(by: .seconds(59))
            #expect(await code { _ = try await scene.text() } == .pinMismatch)
            scene.time.advance(by: .seconds(1))
            #expect(try await scene.text() == "hello")
        }

        @Test(
            "a rule that only reports tells of a mismatch once a day and delays nothing",
            arguments: [TransportRequest.Version.http1, .http2, .http3])
        func reportOnly(version: TransportRequest.Version) async throws {
            let scene = try Scene("report-\(version.rawValue)")
            scene.transport.setPinnedKeys([pin([], isReportOnly: true)])
            let connection = try await scene.text("/connection", version)
            let expected = PinMismatch(
                host: "localhost", shownDigests: [scene.identity.digest, scene.authority.intermediateDigest])
            #expect(await eventually { scene.told == [expected] })
            #expect(try await scene.text("/connection", version) == connection)
            scene.transport.networkDidChange()
            #expect(try await scene.text("/connection", version) != connection)
            #expect(scene.told.count == 1)
            scene.time.advance(by: .seconds(86_400))
            scene.transport.networkDidChange()
            #expect(try await scene.text("/", version) == "hello")
            #expect(await eventually { scene.told.count == 2 })
        }

        @Test("a rule that only reports has nothing to say of a chain with one of its keys")
        func reportOnlyMatch() async throws {
            let scene = try Scene("match")
            scene.transport.setPinnedKeys([pin([scene.authority.rootDigest], isReportOnly: true)])
            #expect(try await scene.text() == "hello")
            // The judgement runs beside the request; this one comes behind it.
            scene.transport.setPinnedKeys([pin([], isReportOnly: true)])
            scene.transport.networkDidChange()
            #expect(try await scene.text() == "hello")
            #expect(await eventually { scene.told.count == 1 })
        }

        @Test("a rule that reports stands beside one that is enforced")
        func both() async throws {
            let scene = try Scene("both")
            scene.transport.setPinnedKeys([pin([scene.identity.digest]), pin([], isReportOnly: true)])
            #expect(try await scene.text() == "hello")
            #expect(scene.told.map(\.host) == ["localhost"])
        }

        @Test("a rule without end does not lock the device out of the host that brings the rules")
        func spared() async throws {
            let scene = try Scene("spared")
            scene.transport.setPinnedKeys([pin([])], sparing: "localhost")
            #expect(try await scene.text() == "hello")
            #expect(await eventually { scene.told.count == 1 })
            scene.transport.setPinnedKeys([pin([], expiresAt: scene.time.now + 60)], sparing: "localhost")
            #expect(await code { _ = try await scene.text() } == .pinMismatch)
        }

        @Test("is for the host itself, and for names below when it says so, where none of their own holds")
        func names() {
            let now = Date(timeIntervalSince1970: 1_000_000)
            func rule(_ host: String, _ includesSubdomains: Bool, _ expiresAt: Date? = nil) -> PinnedKeys {
                PinnedKeys(
                    host: host, includesSubdomains: includesSubdomains, digests: [Self.otherKey], expiresAt: expiresAt)
            }
            let book = PinBook(
                [
                    rule("Example.com", true), rule("own.example.com.", false), rule("gone.example.com", false, now),
                    rule("deep.own.example.com", true, now + 1),
                    PinnedKeys(host: "unusable.test", digests: ["not a digest", ""]),
                ], sparing: nil)
            func found(_ host: String) -> [String] { book.rules(for: host, at: now).map(\.host) }
            #expect(found("example.com") == ["Example.com"])
            #expect(found("www.example.com") == ["Example.com"])
            #expect(found("www.example.com.") == ["Example.com"])
            #expect(found("own.example.com") == ["own.example.com."])
            #expect(found("x.own.example.com") == ["Example.com"])
            #expect(found("y.deep.own.example.com") == ["deep.own.example.com"])
            #expect(found("gone.example.com") == ["Example.com"])
            #expect(found("notexample.com").isEmpty)
            #expect(found("com").isEmpty)
            #expect(found("unusable.test").isEmpty)
            #expect(found("[::1]").isEmpty)
        }

        @Test("errors carry neither user information nor a query")
        func secrets() {
            let text = "NSURL=https://ann:pw@host.test:8/a/b?token=1#x, again <http://h/?q> and ftp://u@h;"
            #expect(text.withBareURLs == "NSURL=https://host.test:8/a/b again <http://h/> and ftp://h;")
            #expect("plain ? text @ home".withBareURLs == "plain ? text @ home")
        }
    }
}
