/// When and how much a device downloads ahead of need.
///
/// Documents of an older server lack some members; they have their defaults then.
public struct DownloadPolicy: Sendable, Hashable, Codable {
    /// Items larger than this are not pre-positioned (104 MB, the retired SDK's default).
    public var fileByteCountMax: Int64 = 104_000_000
    public var concurrentDownloadsMax = 4
    /// Seconds between looks at the release pointer.
    public var syncIntervalSeconds = 900
    /// Bytes a second for all pre-positioning together; `nil` for no limit.
    public var bytesPerSecondMax: Int64?
    /// Whether interception is on.
    public var isEnabled = true
    /// The networks that downloads may use.
    public var networks = NetworkSelection.wifiAndCellular
    /// The rules of Wi-Fi and of wired networks.
    public var wifi = NetworkRules()
    /// The rules of cellular and of metered networks.
    public var cellular = NetworkRules()
    /// Least charge in percent for a device that is not on external power; 0 for none.
    public var batteryPercentMin = 0
    /// What is otherwise for single segments, by name.
    public var segments: [String: SegmentPolicy] = [:]

    /// The defaults.
    public init() {}

    /// Decodes a policy; absent members have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let read = try values.decodeIfPresent(Value.self, forKey: key) { value = read }
        }
        try read(.fileByteCountMax, into: &fileByteCountMax)
        try read(.concurrentDownloadsMax, into: &concurrentDownloadsMax)
        try read(.syncIntervalSeconds, into: &syncIntervalSeconds)
        bytesPerSecondMax = try values.decodeIfPresent(Int64.self, forKey: .bytesPerSecondMax)
        try read(.isEnabled, into: &isEnabled)
        try read(.networks, into: &networks)
        try read(.wifi, into: &wifi)
        try read(.cellular, into: &cellular)
        try read(.batteryPercentMin, into: &batteryPercentMin)
        try read(.segments, into: &segments)
    }
}

/// The networks that downloads may use.
public enum NetworkSelection: String, Sendable, Codable, CaseIterable {
    case none, wifiOnly, wifiAndCellular, cellularOnly
}

/// When downloads may use a kind of network.
public struct NetworkRules: Sendable, Hashable, Codable {
    /// Whether a device that is not on external power may download.
    public var isAllowedOnBattery = true
    /// Most bytes on the wire between two local midnights; `nil` for no limit.
    public var dailyByteCountMax: Int64?
    /// The times of the local day; empty for the whole day.
    public var hours: [DayHours] = []
    /// The least quality that the network must have been measured to have; `nil` for any.
    public var qualityMin: QualityClass?

    /// No restriction.
    public init() {}
}

/// A span of the local day; over midnight when it ends before it starts.
public struct DayHours: Sendable, Hashable, Codable {
    /// Minutes from midnight, 0 to 1,439.
    public var startMinute: Int
    /// Minutes from midnight, 1 to 1,440; not within the span itself.
    public var endMinute: Int

    /// Creates a value.
    public init(startMinute: Int, endMinute: Int) {
        self.startMinute = startMinute
        self.endMinute = endMinute
    }
}

/// What is otherwise for one segment; `nil` where the app's policy holds.
public struct SegmentPolicy: Sendable, Hashable, Codable {
    /// Download whatever the network, the battery, the hour and the quotas.
    public var isForced: Bool?
    public var networks: NetworkSelection?
    public var wifi: NetworkRules?
    public var cellular: NetworkRules?
    public var batteryPercentMin: Int?
    public var fileByteCountMax: Int64?

    /// Nothing is otherwise.
    public init() {}
}
