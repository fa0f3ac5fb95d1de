import Conditions
import Foundation
import Prepositioning
import Wire

/// What the last release says, what the app wants otherwise, and what follows from it now, as lines for people.
struct ConfigurationListing {
    let configuration: LarderConfiguration
    let serverURL: String?
    let status: Prepositioner.Status
    let release: Release?
    /// When the release came.
    let receivedAt: Date?
    let settings: LarderSettings
    let blockers: Set<PolicyBlocker>
    let usage: DataUsage
    let conditions: DeviceConditions

    var lines: [String] {
        [
            "Larder \(LarderClient.version) for \(configuration.bundleID)", "server: \(serverURL ?? "none")",
            "registration: \(registration)", releaseLine,
            "features: interception \(status.isEnabled ? "on" : "off"), downloads \(downloads)",
        ]
            + (release.map { PolicyListing(policy: $0.policy).lines + Self.thresholds($0.quality) + Self.pins($0.pins) }
                ?? [])
            + ["settings of the app: \(overrides)"]
            + [
                "downloaded today: \(usage.wifiByteCount) bytes over Wi-Fi, \(usage.cellularByteCount) bytes over cellular"
            ]
            + ["device: \(device)"]
    }

    private var registration: String {
        switch status.registration {
        case .notRegistered: "none"
        case .registered(let deviceID, _, let appID): "device \(deviceID) of app \(appID)"
        case .badCredentials(let reason): "refused: \(reason)"
        case .withdrawn: "withdrawn by the server"
        }
    }

    private var releaseLine: String {
        guard let release else { return "release: none has come" }
        let received = receivedAt.map { ", received \($0.formatted(.iso8601))" } ?? ""
        return "release: version \(release.version), published \(release.publishedAt.formatted(.iso8601))\(received)"
    }

    private var downloads: String {
        blockers.isEmpty ? "go on" : "stopped: " + blockers.map(\.rawValue).sorted().joined(separator: ", ")
    }

    private static func thresholds(_ thresholds: QualityThresholds) -> [String] {
        [("Wi-Fi", thresholds.wifi), ("cellular", thresholds.cellular)].map { name, classes in
            let limits = [("good", classes.good), ("excellent", classes.excellent)].map { name, limits in
                "\(name) up to \(limits.roundTripMillisecondsMax) ms and from \(limits.kilobitsPerSecondMin) kbit/s"
            }
            return "quality of \(name): \(limits.joined(separator: ", "))"
        }
    }

    private static func pins(_ pins: [PinRule]) -> [String] {
        pins.map { pin in
            let parts = [
                pin.host + (pin.includesSubdomains ? " and its subdomains" : ""), "\(pin.digests.count) keys",
                pin.isReportOnly ? "reported only" : "enforced",
                pin.expiresAt.map { "until \($0.formatted(.iso8601))" } ?? "for good",
            ]
            return "pins of \(parts.joined(separator: ", "))"
        }
    }

    private var overrides: String {
        let (own, plain) = (settings.downloads, LarderSettings())
        let hosts: String? =
            switch settings.hosts {
            case .all: nil
            case .only(let names): "only the hosts \(names.sorted().joined(separator: " "))"
            case .except(let names): "all hosts but \(names.sorted().joined(separator: " "))"
            }
        let parts: [String?] = [
            own.networks.map { "networks \($0.rawValue)" }, own.fileByteCountMax.map { "files up to \($0) bytes" },
            own.dailyWifiByteCountMax.map { "\($0) bytes a day over Wi-Fi" },
            own.dailyCellularByteCountMax.map { "\($0) bytes a day over cellular" },
            own.concurrentDownloadsMax.map { $0 < 1 ? "any number of downloads at once" : "\($0) downloads at once" },
            own.isForced ? "downloads forced" : nil, own.isManual ? "downloads by hand" : nil,
            own.keepsDroppedContent ? "dropped content kept" : nil,
            settings.followsRedirects ? nil : "redirects left to the app",
            settings.ignoredMethods == plain.ignoredMethods
                ? nil : "ignored methods \(settings.ignoredMethods.sorted().joined(separator: " "))",
            hosts, settings.addsUserAgent ? "User-Agent added" : nil,
        ]
        let told = parts.compactMap { $0 }
        return told.isEmpty ? "none" : told.joined(separator: ", ")
    }

    private var device: String {
        let (network, power) = (conditions.network, conditions.power)
        let parts: [String?] = [
            network.kind.rawValue, network.isMetered ? "metered" : nil, network.signalLevel.map { "signal \($0) of 4" },
            power.isExternal ? "external power" : "on battery", power.batteryPercent.map { "charged to \($0) %" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }
}
