import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The device's standing with the server.
extension LarderClient {
    /// The API key in force: the configuration's, or the one that the app registered with.
    public var apiKey: String? { services.prepositioner?.apiKey }

    /// The server's address in force; `nil` when there is none, or none that can be used.
    public var serverURL: String? { services.serverURL?.string }

    /// Registers with an API key that the configuration did not have, or after ``unregister()``.
    ///
    /// Returns when the server has answered. A key that the device is registered with already asks nobody. The key is kept: later
    /// starts need not register again. A server that cannot be reached is asked again later, as at any start.
    /// - Parameter segments: joined the first time this key is seen on the device.
    /// - Throws: ``RegistrationError``.
    public func register(apiKey: String, segments: Set<String>) async throws(RegistrationError) {
        services.log.hide(apiKey)
        try await services.registrar.register(apiKey: apiKey, segments: segments)
    }

    /// Forgets the registration, drops the content of its segments, and tells the server that the device is gone.
    ///
    /// A server that cannot be reached does not stop it: what is on the device is forgotten all the same. With an API key in the
    /// configuration the next start registers again, as a new device.
    /// - Throws: ``RegistrationError/notRegistered`` when no API key is in force.
    public func unregister() async throws(RegistrationError) { try await services.registrar.unregister() }

    /// Hands the device's push token to the server, now and again when the registration changes.
    /// - Parameters:
    ///   - token: the bytes that the system gave: those of an APNs token, or the text of another service's.
    ///   - service: "apns", "apns-sandbox" or "fcm".
    public func setPushToken(_ token: Data, service: String) {
        let text =
            service.hasPrefix("apns") ? token.map(Self.hexadecimal).joined() : String(decoding: token, as: UTF8.self)
        services.log.hide(text)
        services.registrar.setPushToken(PushTokenRequest(service: service, token: text))
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
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
