#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The device's standing with the server.
extension LarderClient {
    /// Registers with an API key that the configuration did not have, or with another one.
    ///
    /// Returns when the server has answered. A key that the device is registered with already asks nobody.
    /// - Parameter segments: joined the first time this key is seen on the device.
    /// - Throws: ``RegistrationError``.
    public func register(apiKey: String, segments: Set<String>) async throws(RegistrationError) {
        throw .noServer
    }

    /// Tells the server that the device is gone, forgets the registration and drops the content of its segments.
    ///
    /// A server that cannot be reached does not stop it: what is on the device is forgotten all the same.
    /// - Throws: ``RegistrationError``.
    public func unregister() async throws(RegistrationError) { throw .notRegistered }

    /// Hands the device's push token to the server, now and again when the registration changes.
    /// - Parameter service: "apns" or "fcm".
    public func setPushToken(_ token: Data, service: String) {}
}

/// Why a registration did not come about.
public enum RegistrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No usable address of a server is configured.
    case noServer
    case alreadyRegistered
    case notRegistered
    /// The server refuses the API key.
    case badCredentials(String)
    case failed(String)

    public var description: String {
        switch self {
        case .noServer: "no server is configured: set serverURL (server_url in the property list)"
        case .alreadyRegistered: "the device is registered with another API key: unregister first"
        case .notRegistered: "the device is not registered"
        case .badCredentials(let reason), .failed(let reason): reason
        }
    }
}
