import ControlModel
import Wire

/// The fields of an app's settings, but for segments and pins, which have pages of their own.
struct AppForm {
    var name: String
    var bundleID: String
    var settings: AppSettings

    static var fields: [FormField<AppForm>] {
        [
            .plain("name", \.name), .plain("bundleID", \.bundleID),
            .flag("policy.isEnabled", \.settings.policy.isEnabled),
            .count("policy.fileByteCountMax", \.settings.policy.fileByteCountMax, per: 1_000_000),
            .count("policy.concurrentDownloadsMax", \.settings.policy.concurrentDownloadsMax),
            .optionalCount("policy.bytesPerSecondMax", \.settings.policy.bytesPerSecondMax, per: 125),
            .count("policy.syncIntervalSeconds", \.settings.policy.syncIntervalSeconds),
            .choice("policy.networks", \.settings.policy.networks),
            .count("policy.batteryPercentMin", \.settings.policy.batteryPercentMin),
        ] + FormField.rules("policy.wifi", \.settings.policy.wifi)
            + FormField.rules("policy.cellular", \.settings.policy.cellular)
            + classes("quality.wifi", \.settings.quality.wifi)
            + classes("quality.cellular", \.settings.quality.cellular)
    }

    private static func classes(
        _ name: String, _ path: WritableKeyPath<AppForm, QualityThresholds.Classes>
    ) -> [FormField<AppForm>] {
        func limits(
            _ name: String, _ path: WritableKeyPath<AppForm, QualityThresholds.Limits>
        ) -> [FormField<AppForm>] {
            [
                .count("\(name).roundTripMillisecondsMax", path.appending(path: \.roundTripMillisecondsMax)),
                .count("\(name).kilobitsPerSecondMin", path.appending(path: \.kilobitsPerSecondMin)),
            ]
        }
        return limits("\(name).good", path.appending(path: \.good))
            + limits("\(name).excellent", path.appending(path: \.excellent))
    }
}
