import ControlModel
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is wrong with one member of an app's settings.
public struct SettingFault: Sendable, Hashable {
    /// Where, as a JSON Pointer (RFC 6901) into the app: "/policy/wifi/hours/0".
    public var pointer: String
    /// What is allowed.
    public var sentence: String
}

/// Holds an app's settings against the rules. Pure.
struct SettingsReview {
    static let hoursCountMax = 8
    static let segmentCountMax = 500
    static let pinCountMax = 50
    static let digestCount = 2...10

    /// What the app has now: what it has already is not asked again whether it is still to come.
    let stored: AppSettings
    let segmentNames: Set<String>
    let now: Date
    private var found: [SettingFault] = []

    init(stored: AppSettings, segmentNames: Set<String>, now: Date) {
        self.stored = stored
        self.segmentNames = segmentNames
        self.now = now
    }

    /// Every fault, in the order of the members.
    func faults(in settings: AppSettings) -> [SettingFault] {
        var review = self
        review.review(settings.policy)
        review.review(settings.quality.wifi, at: "/quality/wifi")
        review.review(settings.quality.cellular, at: "/quality/cellular")
        review.review(settings.pins)
        return review.found
    }

    private mutating func require(_ condition: Bool, _ pointer: String, _ sentence: String) {
        if !condition { found.append(SettingFault(pointer: pointer, sentence: sentence)) }
    }

    // MARK: - Policy

    private mutating func review(_ policy: DownloadPolicy) {
        fileSize(policy.fileByteCountMax, at: "/policy/fileByteCountMax")
        require(
            (1...32).contains(policy.concurrentDownloadsMax), "/policy/concurrentDownloadsMax",
            "Downloads at once must be 1 to 32.")
        require(
            (1...604_800).contains(policy.syncIntervalSeconds), "/policy/syncIntervalSeconds",
            "The time between syncs must be 1 to 604,800 seconds (a week).")
        require(
            policy.bytesPerSecondMax.map { (1_024...1 << 40).contains($0) } ?? true, "/policy/bytesPerSecondMax",
            "The speed limit must be at least 1,024 bytes a second (8.192 kbit/s) and at most 1 TiB, or none.")
        review(policy.wifi, at: "/policy/wifi")
        review(policy.cellular, at: "/policy/cellular")
        battery(policy.batteryPercentMin, at: "/policy/batteryPercentMin")
        require(
            policy.segments.count <= Self.segmentCountMax, "/policy/segments",
            "At most \(Self.segmentCountMax) segments can have rules of their own.")
        for (name, rules) in policy.segments.sorted(by: { $0.key < $1.key }) {
            review(rules, of: name, at: "/policy/segments/\(name)")
        }
    }

    private mutating func review(_ rules: SegmentPolicy, of name: String, at pointer: String) {
        require(
            segmentNames.contains(name) || stored.policy.segments[name] != nil, pointer,
            "The app has no segment \"\(name.prefix(100))\". Make it first, or correct the name.")
        if let wifi = rules.wifi { review(wifi, at: "\(pointer)/wifi") }
        if let cellular = rules.cellular { review(cellular, at: "\(pointer)/cellular") }
        if let percent = rules.batteryPercentMin { battery(percent, at: "\(pointer)/batteryPercentMin") }
        if let bytes = rules.fileByteCountMax { fileSize(bytes, at: "\(pointer)/fileByteCountMax") }
    }

    private mutating func review(_ rules: NetworkRules, at pointer: String) {
        require(
            rules.dailyByteCountMax.map { (1_000_000...1 << 50).contains($0) } ?? true, "\(pointer)/dailyByteCountMax",
            "A daily limit must be at least 1,000,000 bytes (1 MB), or none. To keep devices off a network altogether, "
                + "leave it out of the networks.")
        require(
            rules.hours.count <= Self.hoursCountMax, "\(pointer)/hours",
            "A day has at most \(Self.hoursCountMax) spans of hours.")
        for (index, hours) in rules.hours.enumerated() {
            require(
                (0...1_439).contains(hours.startMinute) && (1...1_440).contains(hours.endMinute)
                    && hours.startMinute != hours.endMinute, "\(pointer)/hours/\(index)",
                "A span starts between 00:00 and 23:59, ends between 00:01 and 24:00, and at another minute than it starts, "
                    + "such as 22:00–06:00. For the whole day leave the hours out.")
        }
    }

    private mutating func battery(_ percent: Int, at pointer: String) {
        require((0...100).contains(percent), pointer, "The least charge must be 0 to 100 percent.")
    }

    private mutating func fileSize(_ bytes: Int64, at pointer: String) {
        require((1...1 << 50).contains(bytes), pointer, "The largest file must be from 1 byte to 1 PiB.")
    }

    // MARK: - Quality

    private mutating func review(_ classes: QualityThresholds.Classes, at pointer: String) {
        for (name, limits) in [("good", classes.good), ("excellent", classes.excellent)] {
            require(
                (1...60_000).contains(limits.roundTripMillisecondsMax), "\(pointer)/\(name)/roundTripMillisecondsMax",
                "A round trip must be 1 to 60,000 milliseconds.")
            require(
                (1...10_000_000).contains(limits.kilobitsPerSecondMin), "\(pointer)/\(name)/kilobitsPerSecondMin",
                "A throughput must be 1 to 10,000,000 kbit/s.")
        }
        let (good, excellent) = (classes.good, classes.excellent)
        require(
            excellent.roundTripMillisecondsMax <= good.roundTripMillisecondsMax,
            "\(pointer)/excellent/roundTripMillisecondsMax",
            "Excellent must not allow a longer round trip than good, which allows \(good.roundTripMillisecondsMax) ms.")
        require(
            excellent.kilobitsPerSecondMin >= good.kilobitsPerSecondMin, "\(pointer)/excellent/kilobitsPerSecondMin",
            "Excellent must not ask for less throughput than good, which asks for \(good.kilobitsPerSecondMin) kbit/s.")
        require(
            excellent != good, "\(pointer)/excellent",
            "Excellent must ask for more than good, or no network would ever be just good.")
    }

    // MARK: - Pins

    private mutating func review(_ rules: [PinRule]) {
        require(rules.count <= Self.pinCountMax, "/pins", "An app has at most \(Self.pinCountMax) pin rules.")
        var hosts: Set<String> = []
        for (index, rule) in rules.enumerated() {
            let pointer = "/pins/\(index)"
            require(
                HostName.isValid(rule.host), "\(pointer)/host",
                "A host is a plain name such as api.example.com, in lower case, without scheme, port, path or asterisk. "
                    + "For all names below it say that subdomains are included.")
            require(
                hosts.insert(rule.host).inserted, "\(pointer)/host",
                "There is another rule for \(rule.host.prefix(253)). Put all its keys into one rule.")
            review(rule.digests, at: "\(pointer)/digests")
            // A rule that has run out since it was set must not stand in the way of other changes.
            require(
                rule.expiresAt.map { $0 > now } ?? true || stored.pins.contains(rule), "\(pointer)/expiresAt",
                "The rule would have run out already. Give a date in the future, or none.")
        }
    }

    private mutating func review(_ digests: [String], at pointer: String) {
        require(
            Self.digestCount.contains(digests.count) && Set(digests).count == digests.count, pointer,
            "A rule has \(Self.digestCount.lowerBound) to \(Self.digestCount.upperBound) different keys: one that the server "
                + "shows, and a backup kept elsewhere for the day when the first is lost.")
        for (index, digest) in digests.enumerated() {
            require(
                Data(base64Encoded: digest).map { $0.count == 32 && $0.base64EncodedString() == digest } ?? false,
                "\(pointer)/\(index)",
                "A key is the SHA-256 of its SubjectPublicKeyInfo in Base64: 44 characters that end with \"=\".")
        }
    }
}

/// The names of hosts (RFC 1123, section 2.1) and addresses.
enum HostName {
    /// Whether a text is a host's name, or an IP address, in lower case.
    static func isValid(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        if text.hasPrefix("["), text.hasSuffix("]") {
            return text.contains(":") && text.dropFirst().dropLast().utf8.allSatisfy(isAddressByte)
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy(isLabelByte)
        }
    }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}
