import Cryptography
import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    @Suite("Trust")
    struct TrustTests {
        static func leafKey(of caddy: CaddyServer) throws -> String {
            let pem = try String(contentsOfFile: caddy.certificateFile, encoding: .utf8)
            let lines = pem.split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("-----END") }
            let der = try #require(Data(base64Encoded: lines.joined()))
            return try #require(PublicKeyDigest.base64(ofCertificate: der))
        }

        static let otherKey = Data(count: 32).base64EncodedString()

        @Test("rejects an authority that nobody vouches for")
        func unknownAuthority() async throws {
            let caddy = try CaddyServer.site
            let transport = CurlTransport()
            #expect(await code { _ = try await transport.send(request(caddy.secureOrigin)) } == .certificateRejected)
        }

        @Test("fails every request over TLS, and no other, when the authorities cannot be read")
        func unreadableAuthorities() async throws {
            let caddy = try CaddyServer.site
            var configuration = CurlTransport.Configuration()
            configuration.trust.authorityFile = "/nowhere/at-all.pem"
            let transport = CurlTransport(configuration: configuration)
            #expect(await code { _ = try await transport.send(request(caddy.secureOrigin)) } == .tlsFailed)
            #expect(try await transport.text(request(caddy.origin + "/hello")).hasPrefix("hello"))
        }

        @Test("tells a server that speaks no TLS")
        func noTLS() async throws {
            let server = try RawServer { connection in
                try connection.write("HTTP/1.1 400 No\r\n\r\n")
                connection.drain()
            }
            let transport = CurlTransport()
            let code = await code { _ = try await transport.send(request("https://127.0.0.1:\(server.port)/")) }
            #expect(code == .tlsFailed)
        }

        @Test("wants one of the pinned keys on every version of HTTP", arguments: TransportRequest.Version.allCases)
        func pins(version: TransportRequest.Version) async throws {
            let caddy = try CaddyServer.site
            let key = try Self.leafKey(of: caddy)
            let good = transport(trusting: caddy) { $0.trust.pins = ["LocalHost": [Self.otherKey, key]] }
            for _ in 0..<3 {
                let asked = request(caddy.secureOrigin + "/hello", version: version)
                #expect(try await good.text(asked).hasPrefix("hello"))
            }
            let bad = transport(trusting: caddy) { $0.trust.pins = ["localhost": [Self.otherKey]] }
            let asked = request(caddy.secureOrigin + "/hello", version: version)
            #expect(await code { _ = try await bad.send(asked) } == .pinMismatch)
            let elsewhere = transport(trusting: caddy) { $0.trust.pins = ["example.com": [Self.otherKey]] }
            #expect(try await elsewhere.text(asked).hasPrefix("hello"))
        }

        @Test("asks the evaluator once for each host and chain, before the request goes out", arguments: [false, true])
        func evaluatorAccepts(isSystemTrusting: Bool) async throws {
            let caddy = try CaddyServer.site
            let asked = Locked<[ServerTrust]>([])
            var configuration = CurlTransport.Configuration()
            if isSystemTrusting { configuration.trust.authorityFile = caddy.authorityFile }
            configuration.trust.evaluator = { question in
                asked.withLock { $0.append(question.trust) }
                return .accept
            }
            let transport = CurlTransport(configuration: configuration)
            for version in TransportRequest.Version.allCases {
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try await transport.text(request(caddy.secureOrigin + "/hello", version: version))
                        }
                    }
                    for try await text in group { #expect(text.hasPrefix("hello")) }
                }
            }
            let trusts = asked.withLock { $0 }
            #expect(trusts.count == 1)
            let trust = try #require(trusts.first)
            #expect(trust.host == "localhost" && trust.port == caddy.securePort)
            #expect((trust.systemFailure == nil) == isSystemTrusting)
            let leaf = try #require(trust.certificates.first)
            #expect(PublicKeyDigest.base64(ofCertificate: leaf) == (try Self.leafKey(of: caddy)))
            #expect(trust.certificates.count > 1)
        }

        @Test("fails a request whose server the evaluator rejects, and leaves it to the system when asked to")
        func evaluatorRejects() async throws {
            let caddy = try CaddyServer.site
            let count = Locked(0)
            let rejecting = transport(trusting: caddy) { configuration in
                configuration.trust.evaluator = { _ in
                    count.withLock { $0 += 1 }
                    return .reject
                }
            }
            for _ in 0..<2 {
                #expect(
                    await code { _ = try await rejecting.send(request(caddy.secureOrigin)) } == .certificateRejected)
            }
            #expect(count.withLock { $0 } == 1)
            let trusting = transport(trusting: caddy) { $0.trust.evaluator = { _ in .useSystem } }
            #expect(try await trusting.text(request(caddy.secureOrigin + "/hello")).hasPrefix("hello"))
            var configuration = CurlTransport.Configuration()
            configuration.trust.evaluator = { _ in .useSystem }
            let doubting = CurlTransport(configuration: configuration)
            #expect(await code { _ = try await doubting.send(request(caddy.secureOrigin)) } == .certificateRejected)
            #expect(try await doubting.text(request(caddy.origin + "/hello")).hasPrefix("hello"))
        }

        @Test("holds the pins against what the evaluator would accept")
        func evaluatorAndPins() async throws {
            let caddy = try CaddyServer.site
            var configuration = CurlTransport.Configuration()
            configuration.trust.evaluator = { _ in .accept }
            configuration.trust.pins = ["localhost": [Self.otherKey]]
            let transport = CurlTransport(configuration: configuration)
            #expect(await code { _ = try await transport.send(request(caddy.secureOrigin)) } == .pinMismatch)
        }

        @Test("asks again when the server shows another key, and sends nothing before")
        func changedKey() async throws {
            let first = try CaddyServer(site: "respond one")
            let asked = Locked(0)
            var configuration = CurlTransport.Configuration()
            configuration.trust.evaluator = { _ in
                asked.withLock { count in
                    count += 1
                    return count <= 2 ? .accept : .reject
                }
            }
            let transport = CurlTransport(configuration: configuration)
            let ports = (first.port, first.securePort)
            let url = first.secureOrigin
            #expect(try await transport.text(request(url)) == "one")
            first.stop()
            let second = try CaddyServer(site: "respond two", ports: ports)
            #expect(try await transport.text(request(url)) == "two")
            #expect(asked.withLock { $0 } == 2)
            second.stop()
            let third = try CaddyServer(site: "respond three", ports: ports)
            #expect(await code { _ = try await transport.send(request(url)) } == .certificateRejected)
            #expect(asked.withLock { $0 } == 3)
            third.stop()
        }

        @Test("does not stall other hosts, nor cancellation, while the evaluator thinks")
        func slowEvaluator() async throws {
            let caddy = try CaddyServer.site
            let (verdicts, verdict) = AsyncStream<TrustPolicy.Verdict>.makeStream()
            let isAsked = Locked(false)
            var configuration = CurlTransport.Configuration()
            configuration.trust.evaluator = { _ in
                isAsked.withLock { $0 = true }
                var iterator = verdicts.makeAsyncIterator()
                return await iterator.next() ?? .reject
            }
            let transport = CurlTransport(configuration: configuration)
            let asked = request(caddy.secureOrigin + "/hello")
            let patient = Task { try await transport.text(asked) }
            let impatient = Task { try await transport.text(asked) }
            #expect(await eventually { isAsked.withLock { $0 } })
            #expect(try await transport.text(request(caddy.origin + "/hello")).hasPrefix("hello"))
            impatient.cancel()
            await #expect(throws: CancellationError.self) { _ = try await impatient.value }
            verdict.yield(.accept)
            #expect(try await patient.value.hasPrefix("hello"))
        }
    }
}
