import ControlModel
import HTTPServer
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the body of a PATCH changes of an app's settings, after RFC 7396: what it does not name stays, null puts back the
/// default, objects are merged, lists are replaced.
enum SettingsPatch {
    /// Takes the members `policy`, `quality` and `pins` out of a body.
    static func apply(_ body: inout JSONReader, to settings: inout AppSettings) throws {
        try merge(&body, "policy", into: &settings.policy, standard: DownloadPolicy(), apply(policy:to:))
        try merge(&body, "quality", into: &settings.quality, standard: QualityThresholds(), apply(quality:to:))
        try set(&body, "pins", &settings.pins, []) { body, name in
            try body.optionalObjects(name, count: 0...1_000)?.map(pin)
        }
    }

    // MARK: - Policy

    private static func apply(policy body: inout JSONReader, to policy: inout DownloadPolicy) throws {
        let standard = DownloadPolicy()
        try set(&body, "fileByteCountMax", &policy.fileByteCountMax, standard.fileByteCountMax, number(1...Int64.max))
        try set(
            &body, "concurrentDownloadsMax", &policy.concurrentDownloadsMax, standard.concurrentDownloadsMax,
            number(1...64))
        try set(
            &body, "syncIntervalSeconds", &policy.syncIntervalSeconds, standard.syncIntervalSeconds,
            number(1...2_592_000))
        try set(&body, "bytesPerSecondMax", &policy.bytesPerSecondMax, number(1...Int64.max))
        try set(&body, "isEnabled", &policy.isEnabled, standard.isEnabled, flag)
        try set(&body, "networks", &policy.networks, standard.networks, choice)
        try merge(&body, "wifi", into: &policy.wifi, standard: NetworkRules(), apply(rules:to:))
        try merge(&body, "cellular", into: &policy.cellular, standard: NetworkRules(), apply(rules:to:))
        try set(&body, "batteryPercentMin", &policy.batteryPercentMin, standard.batteryPercentMin, number(0...100))
        try merge(&body, "segments", into: &policy.segments, standard: [:]) { body, segments in
            for name in body.names {
                guard name.utf8.count <= 64 else {
                    throw body.refusal(
                        String(name.prefix(40)) + "…", "expected a segment's name of 1 to 64 characters.")
                }
                try merge(&body, name, into: &segments[name], start: SegmentPolicy(), apply(segment:to:))
            }
        }
    }

    private static func apply(rules body: inout JSONReader, to rules: inout NetworkRules) throws {
        try set(&body, "isAllowedOnBattery", &rules.isAllowedOnBattery, true, flag)
        try set(&body, "dailyByteCountMax", &rules.dailyByteCountMax, number(1...Int64.max))
        try set(&body, "hours", &rules.hours, []) { body, name in
            try body.optionalObjects(name, count: 0...1_000)?.map(hours)
        }
        try set(&body, "qualityMin", &rules.qualityMin, choice)
    }

    private static func hours(_ body: JSONReader) throws -> DayHours {
        var body = body
        let hours = DayHours(
            startMinute: Int(try body.integer("startMinute", in: 0...1_439)),
            endMinute: Int(try body.integer("endMinute", in: 1...1_440)))
        try body.finish()
        return hours
    }

    private static func apply(segment body: inout JSONReader, to rules: inout SegmentPolicy) throws {
        try set(&body, "isForced", &rules.isForced, flag)
        try set(&body, "networks", &rules.networks, choice)
        try merge(&body, "wifi", into: &rules.wifi, start: NetworkRules(), apply(rules:to:))
        try merge(&body, "cellular", into: &rules.cellular, start: NetworkRules(), apply(rules:to:))
        try set(&body, "batteryPercentMin", &rules.batteryPercentMin, number(0...100))
        try set(&body, "fileByteCountMax", &rules.fileByteCountMax, number(1...Int64.max))
    }

    // MARK: - Quality

    private static func apply(quality body: inout JSONReader, to quality: inout QualityThresholds) throws {
        let standard = QualityThresholds.Classes()
        try merge(&body, "wifi", into: &quality.wifi, standard: standard, apply(classes:to:))
        try merge(&body, "cellular", into: &quality.cellular, standard: standard, apply(classes:to:))
    }

    private static func apply(
        classes body: inout JSONReader, to classes: inout QualityThresholds.Classes
    ) throws {
        let standard = QualityThresholds.Classes()
        try merge(&body, "good", into: &classes.good, standard: standard.good) { body, limits in
            try apply(limits: &body, to: &limits, standard: standard.good)
        }
        try merge(&body, "excellent", into: &classes.excellent, standard: standard.excellent) { body, limits in
            try apply(limits: &body, to: &limits, standard: standard.excellent)
        }
    }

    private static func apply(
        limits body: inout JSONReader, to limits: inout QualityThresholds.Limits, standard: QualityThresholds.Limits
    ) throws {
        try set(
            &body, "roundTripMillisecondsMax", &limits.roundTripMillisecondsMax, standard.roundTripMillisecondsMax,
            number(1...60_000))
        try set(
            &body, "kilobitsPerSecondMin", &limits.kilobitsPerSecondMin, standard.kilobitsPerSecondMin,
            number(1...10_000_000))
    }

    // MARK: - Pins

    private static func pin(_ body: JSONReader) throws -> PinRule {
        var body = body
        let host = try body.string("host", characters: 1...253)
        guard let digests = try body.optionalStrings("digests", count: 0...100, characters: 0...200) else {
            throw body.refusal("digests", "expected a list of keys, found nothing.")
        }
        let rule = PinRule(
            host: host, includesSubdomains: try body.optionalBool("includesSubdomains") ?? false, digests: digests,
            expiresAt: try body.optionalDate("expiresAt"),
            isReportOnly: try body.optionalBool("isReportOnly") ?? false)
        try body.finish()
        return rule
    }

    // MARK: - Members

    private typealias Change<Value> = (inout JSONReader, inout Value) throws -> Void
    private typealias Reading<Value> = (inout JSONReader, String) throws -> Value?

    /// Merges an object into a value; null puts back the standard.
    private static func merge<Value>(
        _ body: inout JSONReader, _ name: String, into value: inout Value, standard: Value, _ change: Change<Value>
    ) throws {
        var optional: Value? = value
        try merge(&body, name, into: &optional, start: standard, change)
        value = optional ?? standard
    }

    /// Merges an object into a value, or into `start` when there is none yet; null removes it.
    private static func merge<Value>(
        _ body: inout JSONReader, _ name: String, into value: inout Value?, start: Value, _ change: Change<Value>
    ) throws {
        try set(&body, name, &value) { [value] body, name in
            guard var object = try body.optionalObject(name) else { return nil }
            var merged = value ?? start
            try change(&object, &merged)
            try object.finish()
            return merged
        }
    }

    /// Sets a member that may be missing; null removes it.
    private static func set<Value>(
        _ body: inout JSONReader, _ name: String, _ value: inout Value?, _ read: Reading<Value>
    ) throws {
        let isNull = body.isNull(name)
        if let found = try read(&body, name) { value = found } else if isNull { value = nil }
    }

    /// Sets a member; null puts back the standard.
    private static func set<Value>(
        _ body: inout JSONReader, _ name: String, _ value: inout Value, _ standard: Value, _ read: Reading<Value>
    ) throws {
        var optional: Value? = value
        try set(&body, name, &optional, read)
        value = optional ?? standard
    }

    private static func flag(_ body: inout JSONReader, _ name: String) throws -> Bool? { try body.optionalBool(name) }

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ body: inout JSONReader, _ name: String
    ) throws -> Choice? {
        try body.optionalChoice(name)
    }

    private static func number<Number: BinaryInteger>(_ bounds: ClosedRange<Int64>) -> Reading<Number> {
        { body, name in try body.optionalInteger(name, in: bounds).map { Number($0) } }
    }
}
