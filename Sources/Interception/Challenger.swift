import Acceleration
import Foundation
import HTTPModel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers the HTTP Basic challenges of one task (RFC 7617) with the delegate's credential or a stored one.
///
/// Foundation's own handling would take the task away from the adapter, or leave it without an end. Other schemes are the
/// app's: it gets their 401 as it is.
struct Challenger {
    enum Answer: Sendable {
        /// Send the request again with this `Authorization` value.
        case retry(authorization: String)
        /// Nobody has a credential: the app gets the 401.
        case deliver
    }

    private let task: URLSessionTask
    private let session: URLSession
    /// Challenges answered so far.
    private(set) var askedCount = 0

    init(task: URLSessionTask, session: URLSession) {
        self.task = task
        self.session = session
    }

    /// Finds an answer to a 401.
    /// - Throws: `URLError.cancelled` when the delegate cancels the challenge; `CancellationError`.
    mutating func answer(to response: AcceleratedResponse) async throws -> Answer {
        // A response that Foundation cannot show fails in the delivery, with the reason.
        guard let realm = Self.basicRealm(in: response.response.fields),
            let failure = try? FoundationBridge.response(response.response, url: response.url)
        else { return .deliver }
        let space = Self.space(of: response.url, realm: realm)
        // A stored credential is proposed once: it has failed when the same question comes again.
        let proposed = askedCount == 0 ? storedCredential(for: space) : nil
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: proposed, previousFailureCount: askedCount,
            failureResponse: failure, error: nil, sender: SilentChallengeSender())
        askedCount += 1
        let (disposition, chosen) = try await verdict(on: challenge)
        switch disposition {
        case .useCredential: return answer(with: chosen, for: space)
        case .performDefaultHandling: return answer(with: proposed, for: space)
        case .rejectProtectionSpace: return .deliver
        case .cancelAuthenticationChallenge: throw URLError(.cancelled)
        }
    }

    /// The realm of the first Basic challenge in a response; `nil` without one.
    static func basicRealm(in fields: HTTPFields) -> String? {
        let challenge =
            /(?:^|,)\s*basic\s+(?:[\w\-]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s,"]+)\s*,\s*)*?realm\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/
            .ignoresCase()
        for value in fields.values(of: .wwwAuthenticate) {
            guard let match = value.firstMatch(of: challenge) else { continue }
            if let quoted = match.output.1.map(String.init) { return quoted.replacing(/\\(.)/) { String($0.output.1) } }
            return match.output.2.map(String.init)
        }
        return nil
    }

    private static func space(of url: HTTPURL, realm: String) -> URLProtectionSpace {
        let parts = URLComponents(string: url.string)
        return URLProtectionSpace(
            host: parts?.host ?? url.host, port: parts?.port ?? (url.isSecure ? 443 : 80),
            protocol: url.isSecure ? "https" : "http", realm: realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }

    private func storedCredential(for space: URLProtectionSpace) -> URLCredential? {
        guard let storage = session.configuration.urlCredentialStorage else { return nil }
        // Foundation on Linux compares protection spaces by identity: the storage's own object must be found first.
        let known = storage.allCredentials.keys.first { Self.isSame($0, space) } ?? space
        if let preferred = storage.defaultCredential(for: known) { return preferred }
        return storage.credentials(for: known)?.min { $0.key < $1.key }?.value
    }

    private static func isSame(_ left: URLProtectionSpace, _ right: URLProtectionSpace) -> Bool {
        let methods = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodDefault]
        return left.host == right.host && left.port == right.port && left.protocol == right.protocol
            && left.realm == right.realm && !left.isProxy() && methods.contains(left.authenticationMethod)
    }

    private func answer(with credential: URLCredential?, for space: URLProtectionSpace) -> Answer {
        guard let credential, let user = credential.user else { return .deliver }
        if credential.persistence != .none { session.configuration.urlCredentialStorage?.set(credential, for: space) }
        let pair = Data("\(user):\(credential.password ?? "")".utf8)
        return .retry(authorization: "Basic " + pair.base64EncodedString())
    }

    private func verdict(
        on challenge: URLAuthenticationChallenge
    ) async throws -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        guard let delegate = session.delegate as? any URLSessionTaskDelegate else {
            return (.performDefaultHandling, nil)
        }
        let reply = OneShot<(URLSession.AuthChallengeDisposition, URLCredential?)>()
        let (session, task) = (session, task)
        session.delegateQueue.addOperation {
            delegate.urlSession(session, task: task, didReceive: challenge) { reply.resolve(($0, $1)) }
        }
        guard let verdict = await reply.value() else { throw CancellationError() }
        return verdict
    }
}

/// The sender that a challenge must have; the answer comes through the delegate's completion handler instead.
private final class SilentChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
