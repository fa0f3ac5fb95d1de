import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing
import Transport

extension TransportTests {
    /// The evaluator as it is set, replaced and removed while the transport runs.
    @Suite("Trust evaluator")
    struct EvaluatorTests {
        /// An evaluator that answers nobody until the test lets it.
        final class Undecided: Sendable {
            private let verdict = AsyncStream<TrustPolicy.Verdict>.makeStream()
            private let count = Locked(0)

            var askedCount: Int { count.withLock { $0 } }

            func answer(_ verdict: TrustPolicy.Verdict) { self.verdict.continuation.yield(verdict) }

            @Sendable func callAsFunction(_ question: TrustQuestion) async -> TrustPolicy.Verdict {
                count.withLock { $0 += 1 }
                // Deaf to cancellation, as an app may be.
                return await Task { [stream = verdict.stream] in
                    var iterator = stream.makeAsyncIterator()
                    return await iterator.next() ?? .reject
                }.value
            }
        }

        private func hello(_ caddy: CaddyServer) -> TransportRequest { request(caddy.secureOrigin + "/hello") }

        @Test("is told what was asked for first and what is to be sent")
        func question() async throws {
            let caddy = try CaddyServer.site
            let asked = Locked<[TrustQuestion]>([])
            let transport = transport(trusting: caddy)
            transport.setTrustEvaluator { question in
                asked.withLock { $0.append(question) }
                return .accept
            }
            var redirected = request(caddy.secureOrigin + "/hello?to=1", fields: ["X-Mine": "yes"])
            redirected.originalRequest = HTTPRequest(url: HTTPURL("http://app.test/first?from=1")!)
            #expect(try await transport.text(redirected).hasPrefix("hello"))
            let question = try #require(asked.withLock { $0.first })
            #expect(question.originalRequest.url.string == "http://app.test/first?from=1")
            #expect(question.currentRequest == redirected.request)
            #expect(question.trust.host == "localhost" && question.trust.systemFailure == nil)
        }

        @Test("fails what waits when it cancels, and is asked again for the next request")
        func cancels() async throws {
            let caddy = try CaddyServer.site
            let count = Locked(0)
            let transport = transport(trusting: caddy)
            transport.setTrustEvaluator { _ in
                count.withLock { count in
                    count += 1
                    return count == 1 ? .cancel : .useSystem
                }
            }
            #expect(await code { _ = try await transport.send(hello(caddy)) } == .cancelled)
            #expect(try await transport.text(hello(caddy)).hasPrefix("hello"))
            #expect(count.withLock { $0 } == 2)
        }

        @Test("can be replaced and removed: what the one before said counts no more", arguments: ["1.1", "2", "3"])
        func replaced(version: String) async throws {
            let caddy = try CaddyServer.site
            let transport = CurlTransport()
            var asked = request(caddy.secureOrigin + "/connection")
            asked.version = try #require(TransportRequest.Version(rawValue: version))
            #expect(await code { _ = try await transport.send(asked) } == .certificateRejected)

            transport.setTrustEvaluator { _ in .accept }
            let first = try await transport.text(asked)
            #expect(try await transport.text(asked) == first)

            transport.setTrustEvaluator { _ in .reject }
            #expect(await code { _ = try await transport.send(asked) } == .certificateRejected)

            // A connection that the first one accepted is not used again, although it would be good enough.
            transport.setTrustEvaluator { _ in .accept }
            #expect(try await transport.text(asked) != first)

            transport.setTrustEvaluator(nil)
            #expect(await code { _ = try await transport.send(asked) } == .certificateRejected)
        }

        @Test("lets transfers under way go on when it is replaced")
        func transfersGoOn() async throws {
            let caddy = try CaddyServer.site
            try Data(count: 8 << 20).write(to: caddy.root.appendingPathComponent("long"))
            let transport = CurlTransport()
            transport.setTrustEvaluator { _ in .accept }
            let answer = try await transport.send(request(caddy.secureOrigin + "/long"))
            transport.setTrustEvaluator { _ in .reject }
            #expect(try await answer.body.collect().count == 8 << 20)
        }

        @Test("requests that wait for one that never answers ask the next one")
        func supersedes() async throws {
            let caddy = try CaddyServer.site
            let undecided = Undecided()
            let transport = CurlTransport()
            transport.setTrustEvaluator { await undecided($0) }
            let waiting = (0..<20).map { _ in Task { try await transport.text(hello(caddy)) } }
            #expect(await eventually { undecided.askedCount == 1 })
            transport.setTrustEvaluator { _ in .accept }
            for task in waiting { #expect(try await task.value.hasPrefix("hello")) }
            // The old one's word comes too late to count.
            undecided.answer(.reject)
            #expect(try await transport.text(hello(caddy)).hasPrefix("hello"))
            #expect(undecided.askedCount == 1)
        }

        @Test("stalls its own host alone, whose requests end with their own time limit")
        func stalls() async throws {
            let (stalled, lively) = (try CaddyServer(site: "respond stalled"), try CaddyServer.site)
            let time = ManualTimekeeper()
            let undecided = Undecided()
            let transport = CurlTransport(timekeeper: time)
            transport.setTrustEvaluator { question in
                question.trust.port == stalled.securePort ? await undecided(question) : .accept
            }
            var idle = request(stalled.secureOrigin)
            idle.idleTimeout = .seconds(7)
            var total = request(stalled.secureOrigin)
            total.totalTimeout = .seconds(5)
            let waiting = [idle, total].map { request in Task { try await transport.text(request) } }
            #expect(await eventually { undecided.askedCount == 1 })
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await transport.text(hello(lively)) } }
                for try await text in group { #expect(text.hasPrefix("hello")) }
            }
            await time.waitForSleepers(2)
            time.advance(by: .seconds(5))
            #expect(await code { _ = try await waiting[1].value } == .timedOut)
            time.advance(by: .seconds(2))
            #expect(await code { _ = try await waiting[0].value } == .timedOut)
            // It is still thinking, and its answer is for whoever comes next.
            undecided.answer(.accept)
            #expect(try await transport.text(request(stalled.secureOrigin)) == "stalled")
            #expect(undecided.askedCount == 1)
            stalled.stop()
        }

        @Test("survives a storm of cancellations while it thinks")
        func cancelStorm() async throws {
            let caddy = try CaddyServer.site
            let undecided = Undecided()
            let transport = CurlTransport()
            transport.setTrustEvaluator { await undecided($0) }
            let tasks = (0..<1_000).map { _ in Task { try await transport.text(hello(caddy)) } }
            #expect(await eventually { undecided.askedCount == 1 })
            for task in tasks[..<900] { task.cancel() }
            for task in tasks[..<900] {
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
            undecided.answer(.accept)
            for task in tasks[900...] { #expect(try await task.value.hasPrefix("hello")) }
            #expect(undecided.askedCount == 1)
        }

        @Test("what waits for it fails when the transport is shut down")
        func shutDown() async throws {
            let caddy = try CaddyServer.site
            let undecided = Undecided()
            let transport = CurlTransport()
            transport.setTrustEvaluator { await undecided($0) }
            let waiting = Task { try await transport.text(hello(caddy)) }
            #expect(await eventually { undecided.askedCount == 1 })
            transport.shutDown()
            #expect(await code { _ = try await waiting.value } == .shutDown)
            try await transport.waitUntilShutDown()
        }

        @Test("is asked about a host that HSTS moves to TLS, before anything goes out", arguments: [false, true])
        func strictTransport(isSystemTrusting: Bool) async throws {
            let caddy = try CaddyServer.site
            let directory = try TemporaryDirectory()
            var configuration = CurlTransport.Configuration()
            configuration.stateDirectory = directory.path
            if isSystemTrusting { configuration.trust.authorityFile = caddy.authorityFile }
            configuration.trust.evaluator = { _ in .accept }
            let learning = CurlTransport(configuration: configuration)
            #expect(try await learning.text(request(caddy.secureOrigin + "/hsts")) == "https")
            learning.shutDown()
            try await learning.waitUntilShutDown()
            // libcurl keeps the port, so this reaches the same place once it has been upgraded.
            let cleartext = request("http://localhost:\(caddy.securePort)/hsts?x=1")
            let asked = Locked<[TrustQuestion]>([])
            configuration.trust.evaluator = { question in
                asked.withLock { $0.append(question) }
                return .reject
            }
            let transport = CurlTransport(configuration: configuration)
            #expect(await code { _ = try await transport.send(cleartext) } == .certificateRejected)
            let question = try #require(asked.withLock { $0.first })
            #expect(question.originalRequest == cleartext.request)
            #expect(question.currentRequest.url.string == caddy.secureOrigin + "/hsts?x=1")
            transport.setTrustEvaluator { _ in .accept }
            #expect(try await transport.text(cleartext) == "https")
        }
    }
}
