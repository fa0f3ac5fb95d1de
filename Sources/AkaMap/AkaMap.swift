package import VocCommon

/// The way to the retired SDK's shared service, over the client that `AkaCommon.configure()` starts.
public enum AkaMap {
    /// The shared service.
    public static func shared() -> any AkaMapProtocol { ClientService.shared }
}

/// The calls of the retired SDK's shared service, of the year 2020.
public protocol AkaMapProtocol: VocService {
    /// Registers with an API key; `segments` are joined the first time the key is seen on the device.
    /// - Parameter completion: called once, with `nil` or an error of ``VOCSDKErrorDomain``.
    @available(*, deprecated, message: "AkaCommon.configure() registers with the API key of the property list")
    func registerWithLicense(_ license: String, segments: [String]?, completion: (((any Error)?) -> Void)?)
    /// The older name of ``VocService/printCache()``.
    @available(*, deprecated, renamed: "printCache()")
    func printManifest()
    /// The older name of ``VocService/printCurrentConfiguration()``.
    @available(*, deprecated, renamed: "printCurrentConfiguration()")
    func printCurrentCapabilities()
    /// Removes everything from the device; what subscribed segments hold is downloaded again.
    @available(*, deprecated, message: "the cache looks after itself; set cacheSize to limit it")
    func clearCache(_ completion: (((any Error)?) -> Void)?)
    /// Looks for new content and downloads it now, also when downloads are left to the app.
    /// - Parameter completion: called once when that is done, with what stood against it.
    @available(*, deprecated, message: "downloads begin by themselves")
    func startDownloadUserInitiated(completion: (((any Error)?) -> Void)?)
}

extension ClientService: AkaMapProtocol {
    package func registerWithLicense(_ license: String, segments: [String]?, completion: (((any Error)?) -> Void)?) {
        register(license, segments: segments, completion: completion)
    }
}
