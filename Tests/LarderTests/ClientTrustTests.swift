import Foundation
import HTTPModel
import Larder
import Primitives
import TestSupport
import Testing
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Trust in servers, as the app decides it", .exclusiveInterception)
struct ClientTrustTests {
    /// The code with which a request fails; `nil` when it does not.
    private func failure(_ body: () async throws -> Void) async -> URLError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? URLError)?.code }
    }

    /// The app's ways of asking: its own call, and a task of an intercepted session.
    private func ask(_ rig: ClientRig, _ url: URL, intercepted session: URLSession?) async throws -> String {
        guard let session else { return String(decoding: try await rig.client.data(from: url).0, as: UTF8.self) }
        return try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: url) { data, _, error in
                continuation.resume(
                    with: Result {
                        if let error { throw error }
                        return String(decoding: data ?? Data(), as: UTF8.self)
                    })
            }.resume()
        }
    }

    @Test(
        "the evaluator's verdicts are those of URLSession, for calls and intercepted tasks alike",
        arguments: [false, true])
    func verdicts(isIntercepted: Bool) async throws {
        let caddy = try CaddyServer(
            site: "header Cache-Control no-store\nredir /moved /there?x=1 302\nrespond {http.request.uri}")
        let rig = try ClientRig()
        var session: URLSession?
        if isIntercepted {
            let configuration = URLSessionConfiguration.ephemeral
            rig.client.intercept(configuration)
            session = URLSession(configuration: configuration)
        }
        let url = try #require(URL(string: caddy.secureOrigin + "/moved"))
        let expected: [(TrustPolicy.Verdict, URLError.Code?)] = [
            (.useSystem, .serverCertificateUntrusted), (.accept, nil), (.reject, .serverCertificateUntrusted),
            (.cancel, .cancelled),
        ]
        for (verdict, code) in expected {
            let questions = Locked<[TrustQuestion]>([])
            rig.client.setTrustEvaluator { question in
                questions.withLock { $0.append(question) }
                return verdict
            }
            let text = Locked("")
            let failure = await failure {
                let answer = try await ask(rig, url, intercepted: session)
                text.withLock { $0 = answer }
            }
            #expect(failure == code)
            #expect(text.withLock { $0 } == (code == nil ? "/there?x=1" : ""))
            let asked = questions.withLock { $0 }
            #expect(asked.count == 1)
            #expect(asked.first?.originalRequest.url.string == url.absoluteString)
            #expect(asked.first?.trust.certificates.isEmpty == false)
        }
        rig.client.setTrustEvaluator(nil)
        #expect(
            await failure { _ = try await ask(rig, url, intercepted: session) } == .serverCertificateUntrusted)
        session?.invalidateAndCancel()
        await rig.client.shutDown()
        caddy.stop()
    }

    @Test("a redirect to another host asks about that host, with the request that led there")
    func redirected() async throws {
        let there = try CaddyServer(site: "respond there")
        let here = try CaddyServer(site: "redir * \(there.secureOrigin)/end")
        let rig = try ClientRig()
        let questions = Locked<[TrustQuestion]>([])
        rig.client.setTrustEvaluator { question in
            questions.withLock { $0.append(question) }
            return .accept
        }
        let url = try #require(URL(string: here.secureOrigin + "/start"))
        #expect(try await rig.client.data(from: url).0 == Data("there".utf8))
        let asked = questions.withLock { $0 }
        #expect(asked.map(\.trust.port) == [here.securePort, there.securePort])
        #expect(asked.map(\.originalRequest.url.string) == [url.absoluteString, url.absoluteString])
        #expect(asked.map(\.currentRequest.url.path) == ["/start", "/end"])
        await rig.client.shutDown()
        here.stop()
        there.stop()
    }

    @Test("an evaluator that never answers leaves an intercepted task to its own time limit, or to its cancellation")
    func neverAnswers() async throws {
        let caddy = try CaddyServer(site: "respond hello")
        let rig = try ClientRig()
        let isAsked = Locked(false)
        rig.client.setTrustEvaluator { _ in
            isAsked.withLock { $0 = true }
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            return .reject
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.2
        rig.client.intercept(configuration)
        let session = URLSession(configuration: configuration)
        let url = try #require(URL(string: caddy.secureOrigin + "/"))
        #expect(await failure { _ = try await ask(rig, url, intercepted: session) } == .timedOut)
        #expect(isAsked.withLock { $0 })
        await rig.client.shutDown()
        session.invalidateAndCancel()
        caddy.stop()
    }
}
