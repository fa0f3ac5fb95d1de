/// What an app may hear of; every method is optional.
public protocol VocServiceDelegate: AnyObject {
    /// The server refuses this device's registration.
    func vocService(_ vocService: any VocService, didBecomeNotRegistered info: [AnyHashable: Any])
    /// Registration failed; it is tried again unless the API key was refused.
    func vocService(_ vocService: any VocService, didFailToRegister error: any Error)
    /// The device is registered; told once at every start.
    func vocService(_ vocService: any VocService, didRegister info: [AnyHashable: Any])
    /// The first configuration is here; told once at every start.
    func vocService(_ vocService: any VocService, didInitialize info: [AnyHashable: Any])
    /// The content on the device has changed.
    ///
    /// What is added or updated is readable by the time of the call; what is removed has its URL alone.
    func cacheAdded(_ added: Set<AkaCachedFile>?, updated: Set<AkaCachedFile>?, removed: Set<AkaCachedFile>?)
}

extension VocServiceDelegate {
    public func vocService(_ vocService: any VocService, didBecomeNotRegistered info: [AnyHashable: Any]) {}
    public func vocService(_ vocService: any VocService, didFailToRegister error: any Error) {}
    public func vocService(_ vocService: any VocService, didRegister info: [AnyHashable: Any]) {}
    public func vocService(_ vocService: any VocService, didInitialize info: [AnyHashable: Any]) {}
    public func cacheAdded(_ added: Set<AkaCachedFile>?, updated: Set<AkaCachedFile>?, removed: Set<AkaCachedFile>?) {}
}
