import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One setting as an operator reads it.
public struct SettingFact: Sendable, Hashable, Codable {
    /// Such as "Wi-Fi: a day".
    public var name: String
    /// Such as "50 MB".
    public var value: String

    /// Creates a value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What becomes of one setting.
public struct SettingChange: Sendable, Hashable, Codable {
    public var name: String
    /// `nil` when it is new.
    public var before: String?
    /// `nil` when it goes.
    public var after: String?

    /// Creates a value.
    public init(name: String, before: String?, after: String?) {
        self.name = name
        self.before = before
        self.after = after
    }
}

extension AppSettings {
    /// Every setting; two settings that differ in anything differ in these.
    public var facts: [SettingFact] {
        [SettingFact("SDK", policy.isEnabled ? "on" : "off"), SettingFact("Networks", policy.networks.label)]
            + Self.facts("Wi-Fi", policy.wifi) + Self.facts("Cellular", policy.cellular)
            + [
                SettingFact("Least charge on battery", Self.charge(policy.batteryPercentMin)),
                SettingFact("Largest file", Self.megabytes(policy.fileByteCountMax)),
                SettingFact("Downloads at once", "\(policy.concurrentDownloadsMax)"),
                SettingFact("Speed limit", policy.bytesPerSecondMax.map(Self.kilobits) ?? "none"),
                SettingFact("Time between syncs", Self.duration(seconds: policy.syncIntervalSeconds)),
            ] + policy.segments.sorted { $0.key < $1.key }.flatMap { Self.facts("Segment \($0.key)", $0.value) }
            + Self.facts("Wi-Fi quality", quality.wifi) + Self.facts("Cellular quality", quality.cellular)
            + pins.map { SettingFact("Pins of \($0.host)", Self.sentence($0)) }
    }

    /// What devices will notice when these take the place of others.
    public func changes(from before: AppSettings) -> [SettingChange] {
        let (old, new) = (before.facts, facts)
        let oldValues = Dictionary(old.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let newNames = Set(new.map(\.name))
        return new.filter { oldValues[$0.name] != $0.value }
            .map { SettingChange(name: $0.name, before: oldValues[$0.name], after: $0.value) }
            + old.filter { !newNames.contains($0.name) }
            .map { SettingChange(name: $0.name, before: $0.value, after: nil) }
    }

    // MARK: - Groups

    private static func facts(_ group: String, _ rules: NetworkRules) -> [SettingFact] {
        [
            SettingFact("\(group): on battery", rules.isAllowedOnBattery ? "allowed" : "not allowed"),
            SettingFact("\(group): a day", rules.dailyByteCountMax.map(megabytes) ?? "no limit"),
            SettingFact(
                "\(group): hours", rules.hours.isEmpty ? "any" : rules.hours.map(\.text).joined(separator: ", ")),
            SettingFact("\(group): least quality", rules.qualityMin?.rawValue ?? "any"),
        ]
    }

    private static func facts(_ group: String, _ segment: SegmentPolicy) -> [SettingFact] {
        var facts = [SettingFact(group, "has rules of its own")]
        if let isForced = segment.isForced { facts.append(SettingFact("\(group): forced", isForced ? "yes" : "no")) }
        if let networks = segment.networks { facts.append(SettingFact("\(group): networks", networks.label)) }
        if let wifi = segment.wifi { facts += Self.facts("\(group): Wi-Fi", wifi) }
        if let cellular = segment.cellular { facts += Self.facts("\(group): cellular", cellular) }
        if let percent = segment.batteryPercentMin {
            facts.append(SettingFact("\(group): least charge on battery", charge(percent)))
        }
        if let bytes = segment.fileByteCountMax {
            facts.append(SettingFact("\(group): largest file", megabytes(bytes)))
        }
        return facts
    }

    private static func facts(_ group: String, _ classes: QualityThresholds.Classes) -> [SettingFact] {
        [("good", classes.good), ("excellent", classes.excellent)].map { name, limits in
            SettingFact(
                "\(group): \(name)",
                "up to \(limits.roundTripMillisecondsMax) ms, from \(limits.kilobitsPerSecondMin) kbit/s")
        }
    }

    // MARK: - Values

    private static func sentence(_ rule: PinRule) -> String {
        let parts: [String?] = [
            rule.includesSubdomains ? "with subdomains" : nil, rule.isReportOnly ? "report only" : "enforced",
            rule.expiresAt.map { "until \(moment($0))" } ?? "for good", rule.digests.joined(separator: " "),
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// "2027-01-31 00:00:00 UTC".
    static func moment(_ date: Date) -> String {
        let text = date.formatted(.iso8601)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }

    private static func charge(_ percent: Int) -> String { percent == 0 ? "any" : "\(percent) %" }

    static func megabytes(_ count: Int64) -> String { "\(UnitText.text(count, per: 1_000_000)) MB" }

    static func kilobits(_ bytesPerSecond: Int64) -> String {
        let (bits, overflows) = bytesPerSecond.multipliedReportingOverflow(by: 8)
        return overflows ? "\(bytesPerSecond) B/s" : "\(UnitText.text(bits, per: 1_000)) kbit/s"
    }

    static func duration(seconds: Int) -> String {
        if seconds > 0, seconds.isMultiple(of: 3_600) { return "\(seconds / 3_600) h" }
        return seconds > 0 && seconds.isMultiple(of: 60) ? "\(seconds / 60) min" : "\(seconds) s"
    }
}
