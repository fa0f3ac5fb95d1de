public import Foundation
package import VocCommon

#if canImport(UIKit)
    public import UIKit
#endif

/// The service as the retired SDK had it in 2019.
public protocol AkaWebAccelerator: VocService {
    /// Registers with an API key; `segments` are joined the first time the key is seen on the device.
    /// - Parameter completion: called once, with `nil` or an error of ``VOCSDKErrorDomain``.
    func register(withLicense license: String, segments: [String]?, completion: (((any Error)?) -> Void)?)
    /// Hands the push token to the server, now and again when the registration changes.
    func setDevicePushToken(_ token: Data?)
    /// Takes a remote notification when it is for the SDK: when its payload has the key `mapsdk`.
    ///
    /// - Parameter completionHandler: called once when the SDK has done what the notification asks, within 25 seconds; not called
    ///   when the result is `false`. On the main queue where there is UIKit, on any thread elsewhere.
    /// - Returns: whether the notification was for the SDK.
    func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool
    /// Looks for new content in the background.
    ///
    /// - Parameter completionHandler: called once when that is done, within 25 seconds; not called when the result is `false`.
    /// - Returns: whether the SDK does anything.
    func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool
    /// Looks for new content and downloads it now, also when downloads are left to the app.
    /// - Parameter completion: called once when that is done, with what stood against it.
    func startDownloadUserInitiated(completion: (((any Error)?) -> Void)?)
    /// Removes everything from the device; what subscribed segments hold is downloaded again.
    func clearCache(_ completion: (((any Error)?) -> Void)?)
    /// Prints the subscribed segments and each known URL with its state.
    func printManifest()
    /// Prints the features that are on and when a configuration was last received.
    func printCurrentCapabilities()
}

extension ClientService: AkaWebAccelerator {
    package func register(withLicense license: String, segments: [String]?, completion: (((any Error)?) -> Void)?) {
        register(license, segments: segments, completion: completion)
    }

    package func setDevicePushToken(_ token: Data?) { handOver(pushToken: token) }

    package func application(
        _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
        fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool { didReceiveRemoteNotification(userInfo, fetchCompletionHandler: completionHandler) }

    package func application(
        _ application: UIApplication,
        performFetchWithCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) -> Bool { performFetch(completionHandler) }
}
