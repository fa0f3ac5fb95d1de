import Wire

/// The rules that a segment has of its own, as a form holds them.
struct SegmentForm {
    var isForced = false
    var networks: NetworkSelection?
    var hasWifi = false
    var wifi = NetworkRules()
    var hasCellular = false
    var cellular = NetworkRules()
    var batteryPercentMin: Int?
    var fileByteCountMax: Int64?

    /// - Parameter standard: the app's policy, whose rules stand in the fields while the segment has none.
    init(_ rules: SegmentPolicy, standard: DownloadPolicy) {
        isForced = rules.isForced == true
        networks = rules.networks
        (hasWifi, wifi) = (rules.wifi != nil, rules.wifi ?? standard.wifi)
        (hasCellular, cellular) = (rules.cellular != nil, rules.cellular ?? standard.cellular)
        batteryPercentMin = rules.batteryPercentMin
        fileByteCountMax = rules.fileByteCountMax
    }

    /// The rules; `nil` when the app's hold in everything.
    var rules: SegmentPolicy? {
        var rules = SegmentPolicy()
        rules.isForced = isForced ? true : nil
        rules.networks = networks
        rules.wifi = hasWifi ? wifi : nil
        rules.cellular = hasCellular ? cellular : nil
        rules.batteryPercentMin = batteryPercentMin
        rules.fileByteCountMax = fileByteCountMax
        return rules == SegmentPolicy() ? nil : rules
    }

    /// What would be dropped without a word: rules that were changed while their box says that the app's hold.
    func ignored(since shown: SegmentForm) -> [String] {
        [
            ("Wi-Fi", !hasWifi && wifi != shown.wifi), ("cellular", !hasCellular && cellular != shown.cellular),
        ].compactMap { name, isIgnored in
            isIgnored
                ? "The \(name) rules were changed, but the segment is to do as the app does there. Check the box above them, or "
                    + "leave them as they were." : nil
        }
    }

    static var fields: [FormField<SegmentForm>] {
        [
            .flag("isForced", \.isForced), .optionalChoice("networks", \.networks), .flag("hasWifi", \.hasWifi),
            .flag("hasCellular", \.hasCellular), .optionalCount("batteryPercentMin", \.batteryPercentMin),
            .optionalCount("fileByteCountMax", \.fileByteCountMax, per: 1_000_000),
        ] + FormField.rules("wifi", \.wifi) + FormField.rules("cellular", \.cellular)
    }
}
