import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a device keeps about one API key.
struct Account: Sendable, Hashable {
    /// Kept when the registration is withdrawn, to be the same device again.
    var deviceID: String?
    /// `nil` unless registered.
    var registration: RegistrationResponse?
    /// The keys of the first registration, which are trusted from then on.
    var signingKeys: [SigningKey] = []
    var subscription: Set<String> = []
    /// The highest release version ever accepted.
    var releaseVersionSeen = 0
    /// The validator and the payload of the release in force.
    var releaseTag: String?
    var release: Data?
    /// Where notifications for the device go.
    var pushToken: PushTokenRequest?
    /// Whether the server knows the push token, for the registration in force.
    var isPushTokenKnown = false
}
