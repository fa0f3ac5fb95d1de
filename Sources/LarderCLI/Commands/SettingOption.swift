import ControlModel
import Wire

/// An option of `larder admin settings set`, and the member of the settings that it changes.
struct SettingOption: Sendable {
    var option: CommandSpecification.Option
    /// Below the policy, or below a segment's own rules.
    var place: [String]
    /// Whether a segment can have it otherwise.
    var isForSegments: Bool
    var read: @Sendable (String) -> PatchValue?

    /// Every option.
    static let all: [SettingOption] =
        [
            SettingOption("--enabled", "yes|no", "Whether the SDK is on at all.", at: ["isEnabled"], flag),
            SettingOption(
                "--networks", "NAME", "none, wifiOnly, wifiAndCellular or cellularOnly.", at: ["networks"],
                isForSegments: true, text),
            SettingOption(
                "--forced", "yes|no", "With --segment: download whatever the conditions.", at: ["isForced"],
                isForSegments: true, flag),
        ] + rules("wifi", "Wi-Fi and wired networks") + rules("cellular", "cellular and metered networks")
        + [
            SettingOption(
                "--battery-percent", "N", "Least charge on battery; 0 for any.", at: ["batteryPercentMin"],
                isForSegments: true, count(per: 1)),
            SettingOption(
                "--file-mb", "N", "Leave out larger files.", at: ["fileByteCountMax"], isForSegments: true,
                count(per: 1_000_000)),
            SettingOption(
                "--downloads", "N", "Downloads at once.", at: ["concurrentDownloadsMax"], count(per: 1)),
            SettingOption(
                "--sync-seconds", "N", "Seconds between looks at the release.", at: ["syncIntervalSeconds"],
                count(per: 1)),
            SettingOption(
                "--rate-kbits", "N", "Speed limit in kbit/s, or default for none.", at: ["bytesPerSecondMax"],
                count(per: 125)),
        ]

    private static func rules(_ name: String, _ networks: String) -> [SettingOption] {
        [
            SettingOption(
                "--\(name)-on-battery", "yes|no", "Whether devices on battery may use \(networks).",
                at: [name, "isAllowedOnBattery"], isForSegments: true, flag),
            SettingOption(
                "--\(name)-daily-mb", "N", "Most megabytes a day on \(networks), or default for no limit.",
                at: [name, "dailyByteCountMax"], isForSegments: true, count(per: 1_000_000)),
            SettingOption(
                "--\(name)-hours", "SPANS", "Hours for \(networks), such as 22:00-06:00,12:00-13:00.",
                at: [name, "hours"], isForSegments: true, hours),
            SettingOption(
                "--\(name)-quality", "NAME", "Least quality of \(networks): poor, good, excellent.",
                at: [name, "qualityMin"], isForSegments: true, text),
        ]
    }

    private init(
        _ name: String, _ value: String, _ help: String, at place: [String], isForSegments: Bool = false,
        _ read: @escaping @Sendable (String) -> PatchValue?
    ) {
        option = .init(name: name, value: value, help: help)
        self.place = place
        self.isForSegments = isForSegments
        self.read = read
    }

    // MARK: - Values

    @Sendable private static func text(_ text: String) -> PatchValue? { .text(text) }

    @Sendable private static func flag(_ text: String) -> PatchValue? {
        switch text {
        case "yes": .flag(true)
        case "no": .flag(false)
        default: nil
        }
    }

    private static func count(per unit: Int64) -> @Sendable (String) -> PatchValue? {
        { text in UnitText.count(text, per: unit).map(PatchValue.number) }
    }

    @Sendable private static func hours(_ text: String) -> PatchValue? {
        DayHours.spans(text).map { spans in
            .list(
                spans.map { span in
                    .object([
                        "startMinute": .number(Int64(span.startMinute)), "endMinute": .number(Int64(span.endMinute)),
                    ])
                })
        }
    }
}
