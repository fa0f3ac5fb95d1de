import Acceleration
import Foundation
import HTTPModel
import Telemetry
import Transport
import Wire

// What the app's settings and the release ask of every request.

extension Services {
    /// Tells the server and the log of a chain that breaks a rule which only reports.
    static func report(_ mismatch: PinMismatch, at date: Date, to telemetry: TelemetryQueue, _ log: LogLines) {
        telemetry.record(
            .pinFailure(PinFailure(host: mismatch.host, shownDigests: mismatch.shownDigests, date: date)))
        log.write("\(mismatch.host): no key in the server's chain is one that the release pins; the request goes on")
    }
}

extension LarderClient {
    /// The SDK's own product and version in a `User-Agent` field (RFC 9110, section 10.1.5).
    static let userAgentToken = "Larder/\(version)"
}

extension LarderSettings {
    /// What they ask of every request.
    var requestRules: RequestRules {
        RequestRules(
            followsRedirects: followsRedirects, ignoredMethods: ignoredMethods, hosts: hosts,
            userAgentToken: addsUserAgent ? LarderClient.userAgentToken : nil)
    }
}

extension Release {
    /// Its pins in the transport's terms.
    var pinnedKeys: [PinnedKeys] {
        pins.map { rule in
            PinnedKeys(
                host: rule.host, includesSubdomains: rule.includesSubdomains, digests: rule.digests,
                expiresAt: rule.expiresAt, isReportOnly: rule.isReportOnly)
        }
    }
}
