public import VocCommon

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif
#if canImport(Security)
    public import Security
#endif

/// Decides over servers' certificates; the method is optional.
public protocol AkaCommonDelegate: AnyObject {
    /// A server shows its certificate chain: is it trusted?
    ///
    /// As `VocServiceDelegate`'s method of this kind, on a queue of the SDK's own.
    func didReceiveChallenge(
        for originalRequest: URLRequest, currentRequest: URLRequest, challenge: URLAuthenticationChallenge,
        modifiedTrust: SecTrust?, completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

extension AkaCommonDelegate {
    public func didReceiveChallenge(
        for originalRequest: URLRequest, currentRequest: URLRequest, challenge: URLAuthenticationChallenge,
        modifiedTrust: SecTrust?, completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        ChallengeAskers.noteDefault(of: type(of: self))
        completion(.performDefaultHandling, nil)
    }
}
