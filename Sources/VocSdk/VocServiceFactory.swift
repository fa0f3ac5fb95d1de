public import Foundation
package import VocCommon

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Creates the service, as the retired SDK did in 2019.
public enum VocServiceFactory {
    /// Starts the SDK with the first of: the options dictionary, the app's Info.plist, the configuration file that it names.
    ///
    /// Performs disk I/O. The shared session is intercepted from here on. A second call gives the same service with another
    /// delegate. The device registers when there is an API key; without one, register with the service.
    /// - Parameters:
    ///   - delegate: held weakly.
    ///   - options: `license`, `segments` and `server_url`.
    /// - Throws: an error of ``VOCSDKErrorDomain`` with the code ``VOCSDKError/invalidParam`` when the options dictionary holds
    ///   something that cannot be used; the SDK is not started then.
    public static func createAkaWebAccelerator(
        with delegate: any VocServiceDelegate, delegateQueue: OperationQueue, options: [AnyHashable: Any]?
    ) throws -> any AkaWebAccelerator {
        try ClientService.start(options: options)
        ClientService.shared.setDelegate(delegate, with: delegateQueue)
        return ClientService.shared
    }

    /// Puts the SDK ahead of the protocol classes of a configuration, for the sessions made with it from now on.
    public static func setupSessionConfiguration(_ configuration: URLSessionConfiguration) {
        SharedClient.shared.intercept(configuration)
    }
}
