#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Every address of the portal: used to link and to register.
enum PortalPath: Sendable, Hashable {
    case root, signIn, signOut, apps
    case asset(String)
    case app(String)
    case keys(String)
    case revokeKey(String, key: String)
    case segments(String)
    case segment(String, name: String)
    case ingest(String, segment: String)
    case editItem(String, segment: String)
    case removeItem(String, segment: String)
    case removeSegment(String, segment: String)
    case releases(String)
    case publish(String)
    case rollBack(String)
    case devices(String)
    case forgetDevice(String, device: String)
    case device(String, device: String)
    case events(String)
    case settings(String)
    case segmentRules(String, segment: String)
    case newPin(String)
    case pin(String, host: String)
    case removePin(String, host: String)

    /// The path with its parts percent-encoded.
    var string: String {
        switch self {
        case .root: "/"
        case .signIn: "/sign-in"
        case .signOut: "/sign-out"
        case .apps: "/apps"
        case .asset(let name): "/assets/\(name)"
        case .app(let app): "/apps/\(encoded(app))"
        case .keys(let app): "/apps/\(encoded(app))/keys"
        case .revokeKey(let app, let key): "/apps/\(encoded(app))/keys/\(encoded(key))/revoke"
        case .segments(let app): "/apps/\(encoded(app))/segments"
        case .segment(let app, let name): "/apps/\(encoded(app))/segments/\(encoded(name))"
        case .ingest(let app, let segment): "/apps/\(encoded(app))/segments/\(encoded(segment))/ingest"
        case .editItem(let app, let segment): "/apps/\(encoded(app))/segments/\(encoded(segment))/items/edit"
        case .removeItem(let app, let segment): "/apps/\(encoded(app))/segments/\(encoded(segment))/items/remove"
        case .removeSegment(let app, let segment): "/apps/\(encoded(app))/segments/\(encoded(segment))/remove"
        case .releases(let app): "/apps/\(encoded(app))/releases"
        case .publish(let app): "/apps/\(encoded(app))/releases/publish"
        case .rollBack(let app): "/apps/\(encoded(app))/releases/roll-back"
        case .devices(let app): "/apps/\(encoded(app))/devices"
        case .device(let app, let device): "/apps/\(encoded(app))/devices/\(encoded(device))"
        case .forgetDevice(let app, let device): "/apps/\(encoded(app))/devices/\(encoded(device))/forget"
        case .events(let app): "/apps/\(encoded(app))/events"
        case .settings(let app): "/apps/\(encoded(app))/settings"
        case .segmentRules(let app, let segment): "/apps/\(encoded(app))/settings/segments/\(encoded(segment))"
        case .newPin(let app): "/apps/\(encoded(app))/settings/pins"
        case .pin(let app, let host): "/apps/\(encoded(app))/settings/pins/\(encoded(host))"
        case .removePin(let app, let host): "/apps/\(encoded(app))/settings/pins/\(encoded(host))/remove"
        }
    }

    private func encoded(_ part: String) -> String {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        return part.utf8.map { byte in
            plain.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
