import Wire

extension AppSettings {
    /// What devices will do under these settings, in sentences.
    public var sentences: [String] {
        guard policy.isEnabled else {
            return ["The SDK is off: devices pass every request through and download nothing ahead of need."]
        }
        return downloads + [housekeeping] + segments + pins.map(Self.sentence)
    }

    private var downloads: [String] {
        var sentences = [
            Self.places(policy.networks, policy.wifi, policy.cellular).map { "Devices download \($0)." }
                ?? "Devices download nothing ahead of need, because no network is selected."
        ]
        if policy.batteryPercentMin > 0, usesBattery {
            sentences.append("On battery they need a charge of at least \(policy.batteryPercentMin) %.")
        }
        return sentences
    }

    private var usesBattery: Bool {
        (policy.networks.includesWifi && policy.wifi.isAllowedOnBattery)
            || (policy.networks.includesCellular && policy.cellular.isAllowedOnBattery)
    }

    private var housekeeping: String {
        let count = policy.concurrentDownloadsMax
        let rate = policy.bytesPerSecondMax.map { ", \(Self.kilobits($0)) at most" } ?? ""
        return "They look for a new release every \(Self.duration(seconds: policy.syncIntervalSeconds)), take "
            + "\(count) file\(count == 1 ? "" : "s") at a time\(rate), and leave out files above "
            + "\(Self.megabytes(policy.fileByteCountMax))."
    }

    private var segments: [String] {
        policy.segments.sorted { $0.key < $1.key }.compactMap { name, rules in
            if rules.isForced == true {
                return "The segment \(name) downloads whatever the network, the battery, the hour and the daily limits."
            }
            var parts: [String] = []
            if rules.networks != nil || rules.wifi != nil || rules.cellular != nil {
                let places = Self.places(
                    rules.networks ?? policy.networks, rules.wifi ?? policy.wifi, rules.cellular ?? policy.cellular)
                parts.append("downloads \(places ?? "nothing, because no network is selected for it")")
            }
            if let percent = rules.batteryPercentMin {
                parts.append(percent == 0 ? "needs no charge" : "needs a charge of at least \(percent) % on battery")
            }
            if let bytes = rules.fileByteCountMax { parts.append("leaves out files above \(Self.megabytes(bytes))") }
            return parts.isEmpty ? nil : "The segment \(name) \(Self.list(parts))."
        }
    }

    /// "on Wi-Fi at any time, and on cellular from 22:00 to 06:00, up to 50 MB a day"; `nil` without a network.
    private static func places(
        _ networks: NetworkSelection, _ wifi: NetworkRules, _ cellular: NetworkRules
    ) -> String? {
        var places: [String] = []
        if networks.includesWifi { places.append(place("on Wi-Fi", wifi)) }
        if networks.includesCellular { places.append(place("on cellular", cellular)) }
        return places.isEmpty ? nil : places.joined(separator: ", and ")
    }

    private static func place(_ name: String, _ rules: NetworkRules) -> String {
        let hours =
            rules.hours.isEmpty
            ? "at any time"
            : "from " + list(rules.hours.map { $0.text.split(separator: "–").joined(separator: " to ") })
        var parts = ["\(name) \(hours)"]
        if let bytes = rules.dailyByteCountMax { parts.append("up to \(megabytes(bytes)) a day") }
        if !rules.isAllowedOnBattery { parts.append("only on external power") }
        if let quality = rules.qualityMin {
            parts.append(
                quality == .poor ? "once its quality is known" : "only where its quality is \(quality) or better")
        }
        return parts.joined(separator: ", ")
    }

    private static func sentence(_ rule: PinRule) -> String {
        let hosts = rule.includesSubdomains ? "\(rule.host) and its subdomains" : rule.host
        let keys = "of the \(rule.digests.count) pinned keys"
        let until = rule.expiresAt.map { ", until \(moment($0))" } ?? ""
        return rule.isReportOnly
            ? "They report servers of \(hosts) that show none \(keys), and go on\(until)."
            : "They talk to servers of \(hosts) only when these show one \(keys)\(until)."
    }

    /// "a", "a and b", "a, b and c".
    private static func list(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
