import AkaCommon
import AkaMap
import Foundation
import TestSupport
import Testing

@testable import Larder
@testable import MapSamples
@testable import VocCommon

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The app's say about servers' certificates, under the retired names, with a real server over TLS.
@Suite(
    "Challenges over servers' certificates", .serialized, .exclusiveInterception, .timeLimit(.minutes(5)),
    .enabled(if: CaddyServer.isAvailable))
struct ChallengeTests {
    private let caddy: CaddyServer
    private let delegate = PinningDelegate()
    private let asked = Locked<[String]>([])

    init() throws { caddy = try CaddyServer(site: "respond /hello \"hello\" 200") }

    /// Runs a test while the process's client is there, with its own transport.
    private func configured(_ body: () async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        var configuration = LarderConfiguration()
        configuration.directory = directory.path("larder")
        configuration.conditions = ManualConditions()
        configuration.log = { _ in }
        SharedClient.shared.begin { LarderClient(configuration: configuration) }
        do { try await body() } catch {
            await end()
            throw error
        }
        await end()
    }

    private func end() async {
        AkaMap.shared().setDelegate(nil, with: nil)
        AkaCommon.shared().delegate = nil
        await SharedClient.shared.reset()
    }

    /// What a request in the shared session comes to: "200", or the code of its `URLError`.
    private func load(_ url: String? = nil) async throws -> String {
        let address = try #require(URL(string: url ?? caddy.secureOrigin + "/hello"))
        return await withCheckedContinuation { continuation in
            URLSession.shared.dataTask(with: address) { _, response, error in
                let code = (error as? URLError).map { "\($0.code.rawValue)" }
                continuation.resume(returning: code ?? "\((response as? HTTPURLResponse)?.statusCode ?? 0)")
            }.resume()
        }
    }

    private static let untrusted = "\(URLError.Code.serverCertificateUntrusted.rawValue)"

    @Test(
        "a disposition has URLSession's meaning",
        arguments: [
            ("accept", "200"), ("default", untrusted), ("reject", untrusted),
            ("cancel", "\(URLError.Code.cancelled.rawValue)"), ("no credential", untrusted),
            ("a password", untrusted), ("another chain", untrusted),
        ])
    func dispositions(_ word: String, _ outcome: String) async throws {
        try await configured {
            delegate.decide = { trust in
                switch word {
                case "accept": (.useCredential, trust.map { URLCredential(trust: $0) })
                case "reject": (.rejectProtectionSpace, nil)
                case "cancel": (.cancelAuthenticationChallenge, nil)
                case "no credential": (.useCredential, nil)
                case "a password": (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
                case "another chain":
                    (
                        .useCredential,
                        URLCredential(
                            trust: SecTrust(.init(host: "localhost", port: 1, certificates: [], systemFailure: nil)))
                    )
                default: (.performDefaultHandling, nil)
                }
            }
            AkaMap.shared().setDelegate(delegate, with: OperationQueue())
            let came = try await load()
            #expect(came == outcome)
        }
    }

    @Test("without a delegate the system decides, and after one is taken away")
    func withoutDelegate() async throws {
        try await configured {
            let before = try await load()
            #expect(before == Self.untrusted)
            delegate.decide = {
                ($0.map { _ in .useCredential } ?? .performDefaultHandling, $0.map { URLCredential(trust: $0) })
            }
            AkaMap.shared().setDelegate(delegate, with: OperationQueue())
            let accepted = try await load()
            #expect(accepted == "200")
            AkaMap.shared().setDelegate(nil, with: nil)
            let after = try await load(caddy.secureOrigin + "/hello?again")
            #expect(after == Self.untrusted)
        }
    }

    @Test("the delegate learns the requests, the challenge and the chain")
    func question() async throws {
        try await configured {
            let origin = try ScriptedOrigin { [caddy] _ in
                .init("", status: 302, ["Location": "\(caddy.secureOrigin)/hello"])
            }
            let listener = Asked()
            AkaMap.shared().setDelegate(listener, with: OperationQueue())
            let came = try await load(origin.origin + "/start")
            #expect(came == "200")
            let question = try #require(listener.questions.withLock { $0.first })
            #expect(question.original.url?.absoluteString == origin.origin + "/start")
            #expect(question.current.url?.absoluteString == caddy.secureOrigin + "/hello")
            #expect(question.current.httpMethod == "GET")
            let space = question.challenge.protectionSpace
            #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
            #expect(space.host == "localhost" && space.port == caddy.securePort && space.protocol == "https")
            let trust = try #require(question.trust)
            #expect(space.serverTrust == trust)
            #expect(trust.host == "localhost")
            let count = SecTrustGetCertificateCount(trust)
            #expect(count >= 1 && trust.certificates.count == count)
            #expect(SecTrustCopyCertificateChain(trust) == trust.certificates)
            let leaf = try #require(SecTrustGetCertificateAtIndex(trust, 0))
            let pem = try String(contentsOfFile: caddy.certificateFile, encoding: .utf8)
            let lines = pem.split(separator: "\n").dropFirst().prefix { !$0.hasPrefix("-----END") }
            #expect(SecCertificateCopyData(leaf) as Data == Data(base64Encoded: lines.joined()))
            #expect(SecTrustGetCertificateAtIndex(trust, count) == nil)
            var failure: NSError?
            #expect(!SecTrustEvaluateWithError(trust, &failure))
            #expect(failure?.code == URLError.Code.serverCertificateUntrusted.rawValue)
            #expect(
                URLProtectionSpace(host: "a", port: 1, protocol: "https", realm: nil, authenticationMethod: nil)
                    .serverTrust == nil)
        }
    }

    @Test("the first call of the completion counts, from any thread; letting go of it leaves it to the system")
    func completion() async throws {
        try await configured {
            let listener = Asked()
            listener.answer = { trust, completion in
                let handler = Handler<Void> { _ in
                    completion(.useCredential, trust.map { URLCredential(trust: $0) })
                    completion(.cancelAuthenticationChallenge, nil)
                }
                Thread.detachNewThread { handler.call(()) }
            }
            AkaMap.shared().setDelegate(listener, with: OperationQueue())
            let accepted = try await load()
            #expect(accepted == "200")
            let silent = Asked()
            silent.answer = { _, _ in }
            AkaMap.shared().setDelegate(silent, with: OperationQueue())
            let left = try await load(caddy.secureOrigin + "/hello?silent")
            #expect(left == Self.untrusted)
            #expect(silent.questions.withLock { $0.count } == 1)
        }
    }

    @Test("a delegate that goes away leaves it to the system")
    func goneDelegate() async throws {
        try await configured {
            var listener: Asked? = Asked()
            AkaMap.shared().setDelegate(listener, with: OperationQueue())
            listener = nil
            let left = try await load()
            #expect(left == Self.untrusted)
            #expect(listener == nil)
        }
    }

    @Test("a delegate that has no such method costs one question, then none")
    func withoutMethod() async throws {
        final class Other: VocServiceDelegate {}
        try await configured {
            let listener = Other()
            AkaMap.shared().setDelegate(listener, with: OperationQueue())
            let left = try await load()
            #expect(left == Self.untrusted)
            #expect(SharedClient.shared.askers.isAsking == false)
            AkaMap.shared().setDelegate(nil, with: nil)
            AkaMap.shared().setDelegate(listener, with: OperationQueue())
            #expect(SharedClient.shared.askers.isAsking == false)
        }
    }

    @Test("the common delegate is asked first, and is held weakly")
    func commonDelegate() async throws {
        final class Common: AkaCommonDelegate {
            func didReceiveChallenge(
                for originalRequest: URLRequest, currentRequest: URLRequest, challenge: URLAuthenticationChallenge,
                modifiedTrust: SecTrust?,
                completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) { completion(.useCredential, modifiedTrust.map { URLCredential(trust: $0) }) }
        }
        try await configured {
            var common: Common? = Common()
            AkaCommon.shared().delegate = common
            delegate.decide = { _ in (.cancelAuthenticationChallenge, nil) }
            AkaMap.shared().setDelegate(delegate, with: OperationQueue())
            let accepted = try await load()
            #expect(accepted == "200")
            #expect(AkaCommon.shared().delegate === common)
            common = nil
            #expect(AkaCommon.shared().delegate == nil)
        }
    }

    @Test("a common delegate without the method leaves it to the service's delegate")
    func commonWithoutMethod() async throws {
        final class Common: AkaCommonDelegate {}
        try await configured {
            let common = Common()
            AkaCommon.shared().delegate = common
            let left = try await load()
            #expect(left == Self.untrusted)
            delegate.decide = { (.useCredential, $0.map { URLCredential(trust: $0) }) }
            AkaMap.shared().setDelegate(delegate, with: OperationQueue())
            let accepted = try await load(caddy.secureOrigin + "/hello?common")
            #expect(accepted == "200")
            withExtendedLifetime(common) {}
        }
    }
}

/// Remembers what it is asked, and accepts every chain unless told.
private final class Asked: VocServiceDelegate {
    struct Question: @unchecked Sendable {  // looked at when the request has ended
        let original: URLRequest
        let current: URLRequest
        let challenge: URLAuthenticationChallenge
        let trust: SecTrust?
    }

    typealias Completion = (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    let questions = Locked<[Question]>([])
    var answer: (SecTrust?, @escaping Completion) -> Void = { trust, completion in
        completion(.useCredential, trust.map { URLCredential(trust: $0) })
    }

    func vocService(
        _ vocService: any VocService, didReceiveChallengeFor originalRequest: URLRequest, currentRequest: URLRequest,
        challenge: URLAuthenticationChallenge, modifiedTrust: SecTrust?, completion: @escaping Completion
    ) {
        let question = Question(
            original: originalRequest, current: currentRequest, challenge: challenge, trust: modifiedTrust)
        questions.withLock { $0.append(question) }
        answer(modifiedTrust, completion)
    }
}
