public import Cryptography
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One installation of an app.
public struct Device: Sendable, Hashable, Codable {
    public var id: String
    public var appID: String
    /// SHA-256 of the device's token.
    public var tokenDigest: SHA256Digest
    public var apiKey: String
    public var platform: String
    public var sdkVersion: String
    public var registeredAt: Date
    public var lastSeenAt: Date
    /// Where its notifications go; secret, because whoever has it can send to the device.
    public var pushToken: PushTokenRequest?

    /// Creates a value.
    public init(
        id: String, appID: String, tokenDigest: SHA256Digest, apiKey: String, platform: String, sdkVersion: String,
        registeredAt: Date, lastSeenAt: Date, pushToken: PushTokenRequest? = nil
    ) {
        self.id = id
        self.appID = appID
        self.tokenDigest = tokenDigest
        self.apiKey = apiKey
        self.platform = platform
        self.sdkVersion = sdkVersion
        self.registeredAt = registeredAt
        self.lastSeenAt = lastSeenAt
        self.pushToken = pushToken
    }
}
