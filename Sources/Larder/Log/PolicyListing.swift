import Wire

/// A release's rules for downloads, as lines for people.
struct PolicyListing {
    let policy: DownloadPolicy

    var lines: [String] {
        let rate = policy.bytesPerSecondMax.map { "\($0) bytes a second" } ?? "any rate"
        return [
            "policy: networks \(policy.networks.rawValue), files up to \(policy.fileByteCountMax) bytes, "
                + "\(policy.concurrentDownloadsMax) downloads at once, \(rate), "
                + "a look every \(policy.syncIntervalSeconds) s, battery from \(policy.batteryPercentMin) %",
            "policy for Wi-Fi: \(Self.text(policy.wifi))", "policy for cellular: \(Self.text(policy.cellular))",
        ] + policy.segments.sorted { $0.key < $1.key }.map { "policy for segment \($0.key): \(Self.text($0.value))" }
    }

    private static func text(_ rules: NetworkRules) -> String {
        [
            rules.isAllowedOnBattery ? "also on battery" : "on external power only",
            rules.dailyByteCountMax.map { "\($0) bytes a day" } ?? "any number of bytes a day",
            rules.hours.isEmpty ? "at any hour" : rules.hours.map(text).joined(separator: " and "),
            rules.qualityMin.map { "of \($0.rawValue) quality at least" } ?? "of any quality",
        ].joined(separator: ", ")
    }

    private static func text(_ hours: DayHours) -> String {
        func clock(_ minutes: Int) -> String {
            let (hour, minute) = (minutes / 60, minutes % 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        }
        return "from \(clock(hours.startMinute)) to \(clock(hours.endMinute))"
    }

    private static func text(_ segment: SegmentPolicy) -> String {
        let parts: [String?] = [
            segment.isForced == true ? "forced" : nil, segment.networks.map { "networks \($0.rawValue)" },
            segment.fileByteCountMax.map { "files up to \($0) bytes" },
            segment.batteryPercentMin.map { "battery from \($0) %" }, segment.wifi.map { "Wi-Fi: \(text($0))" },
            segment.cellular.map { "cellular: \(text($0))" },
        ]
        let told = parts.compactMap { $0 }
        return told.isEmpty ? "as the others" : told.joined(separator: ", ")
    }
}
