import Larder

#if canImport(FoundationNetworking)
    import Foundation
    package import FoundationNetworking
#else
    package import Foundation
#endif
#if canImport(Security)
    package import Security
#endif

/// A question about a server's chain, as a delegate is asked it.
package struct ServerTrustChallenge: @unchecked Sendable {  // made for one call of one delegate; nobody changes it
    package let originalRequest: URLRequest
    package let currentRequest: URLRequest
    package let challenge: URLAuthenticationChallenge
    package let trust: SecTrust

    /// `nil` when the requests or the chain cannot be told in Foundation's terms.
    init?(_ question: TrustQuestion) {
        guard let original = URLRequest(question.originalRequest), let current = URLRequest(question.currentRequest)
        else { return nil }
        #if canImport(Security)
            guard let trust = SecTrust.make(question.trust) else { return nil }
            let space = URLProtectionSpace(
                host: question.trust.host, port: question.trust.port, protocol: "https", realm: nil,
                authenticationMethod: NSURLAuthenticationMethodServerTrust)
        #else
            let trust = SecTrust(question.trust)
            let space = TrustProtectionSpace(trust)
        #endif
        (originalRequest, currentRequest, self.trust) = (original, current, trust)
        challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: NoSender())
    }

    /// What a disposition comes to. A credential that was not made for this chain leaves it to the system.
    func verdict(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) -> TrustPolicy.Verdict {
        switch disposition {
        case .useCredential: credential?.accepts(trust) == true ? .accept : .useSystem
        case .cancelAuthenticationChallenge: .cancel
        case .rejectProtectionSpace: .reject
        case .performDefaultHandling: .useSystem
        @unknown default: .useSystem
        }
    }
}

/// The answer to a challenge: the first one counts; when nobody is left to give one, it is left to the system.
final class ChallengeAnswer: Sendable {
    private let continuation: Locked<CheckedContinuation<TrustPolicy.Verdict, Never>?>

    init(_ continuation: CheckedContinuation<TrustPolicy.Verdict, Never>) {
        self.continuation = Locked(continuation)
    }

    deinit { give(.useSystem) }

    func give(_ verdict: TrustPolicy.Verdict) {
        continuation.withLock { $0.take() }?.resume(returning: verdict)
    }
}

extension URLRequest {
    /// The head of a request in Foundation's terms; `nil` when the URL is none to Foundation.
    init?(_ request: HTTPRequest) {
        guard let url = URL(string: request.url.string) else { return nil }
        self.init(url: url)
        httpMethod = request.method.rawValue
        for field in request.fields { addValue(field.value, forHTTPHeaderField: field.name.rawName) }
    }
}

/// A challenge is answered by the delegate's completion; whoever asks its sender instead is not heard.
private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
