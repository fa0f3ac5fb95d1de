#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif
#if canImport(Security)
    public import Security
#endif

/// What an app may hear of; every method is optional.
public protocol VocServiceDelegate: AnyObject {
    /// The device is no longer registered: the server withdrew it, or the app unregistered.
    func vocService(_ vocService: any VocService, didBecomeNotRegistered info: [AnyHashable: Any])
    /// Registration failed; it is tried again unless the API key was refused.
    func vocService(_ vocService: any VocService, didFailToRegister error: any Error)
    /// The device is registered; told once at every start.
    func vocService(_ vocService: any VocService, didRegister info: [AnyHashable: Any])
    /// The first configuration is here and requests are served; told once at every start.
    func vocService(_ vocService: any VocService, didInitialize info: [AnyHashable: Any])
    /// A server shows its certificate chain: is it trusted?
    ///
    /// For the app's requests and for downloads ahead of need alike; the verdict is remembered for the host and the chain.
    /// Without this method the system decides.
    /// - Parameters:
    ///   - originalRequest: what the app asked for.
    ///   - currentRequest: what is to be sent to this server, after redirects.
    ///   - challenge: its protection space has the same trust object.
    ///   - modifiedTrust: the chain to look at.
    ///   - completion: takes the disposition as `URLSession` means it, from any thread; the first call counts. A completion that
    ///     is let go of without a call leaves it to the system.
    func vocService(
        _ vocService: any VocService, didReceiveChallengeFor originalRequest: URLRequest, currentRequest: URLRequest,
        challenge: URLAuthenticationChallenge, modifiedTrust: SecTrust?,
        completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    /// The quality of the network has changed.
    func vocService(_ vocService: any VocService, networkQualityUpdate networkQuality: any VocNetworkQuality)
    /// The content on the device has changed.
    ///
    /// What is added or updated is readable by the time of the call; what is removed has its URL alone.
    func cacheAdded(_ added: Set<AkaCachedFile>?, updated: Set<AkaCachedFile>?, removed: Set<AkaCachedFile>?)
    /// A configuration brought items (of ``VocItem``) that are not on the device yet.
    func vocService(_ vocService: any VocService, itemsDiscovered items: [Any])
    /// Items (of ``VocItem``) begin to download.
    func vocService(_ vocService: any VocService, itemsStartDownloading items: [Any])
    /// Items (of ``VocItem``) are on the device.
    func vocService(_ vocService: any VocService, itemsDownloaded items: [Any])
    /// Items (of ``VocItem``) are no longer on the device.
    func vocService(_ vocService: any VocService, itemsEvicted items: [Any])
}

extension VocServiceDelegate {
    public func vocService(_ vocService: any VocService, didBecomeNotRegistered info: [AnyHashable: Any]) {}
    public func vocService(_ vocService: any VocService, didFailToRegister error: any Error) {}
    public func vocService(_ vocService: any VocService, didRegister info: [AnyHashable: Any]) {}
    public func vocService(_ vocService: any VocService, didInitialize info: [AnyHashable: Any]) {}
    public func vocService(
        _ vocService: any VocService, didReceiveChallengeFor originalRequest: URLRequest, currentRequest: URLRequest,
        challenge: URLAuthenticationChallenge, modifiedTrust: SecTrust?,
        completion: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        ChallengeAskers.noteDefault(of: type(of: self))
        completion(.performDefaultHandling, nil)
    }
    public func vocService(_ vocService: any VocService, networkQualityUpdate networkQuality: any VocNetworkQuality) {}
    public func cacheAdded(_ added: Set<AkaCachedFile>?, updated: Set<AkaCachedFile>?, removed: Set<AkaCachedFile>?) {}
    public func vocService(_ vocService: any VocService, itemsDiscovered items: [Any]) {}
    public func vocService(_ vocService: any VocService, itemsStartDownloading items: [Any]) {}
    public func vocService(_ vocService: any VocService, itemsDownloaded items: [Any]) {}
    public func vocService(_ vocService: any VocService, itemsEvicted items: [Any]) {}
}
