public import Wire

/// Why nothing is downloaded now. Several can hold at once.
public enum PolicyBlocker: String, Sendable, Hashable, Codable, CaseIterable {
    case notRegistered
    /// The release, or the app's own settings, switch downloads off.
    case switchedOff
    case offline
    case wifiNotAllowed, wifiOnBattery, wifiHours, wifiQuotaUsed, wifiQuality, wifiUnreachable
    case cellularNotAllowed, cellularOnBattery, cellularHours, cellularQuotaUsed, cellularQuality, cellularUnreachable
    case batteryLow
}

/// What the app itself wants otherwise than the release; `nil` leaves it to the release.
public struct PolicyOverrides: Sendable, Hashable, Codable {
    public var networks: NetworkSelection?
    public var fileByteCountMax: Int64?
    public var dailyWifiByteCountMax: Int64?
    public var dailyCellularByteCountMax: Int64?
    /// Less than 1 for no limit.
    public var concurrentDownloadsMax: Int?
    /// Download whatever the network, the battery, the hour and the quotas.
    public var isForced = false
    /// Download nothing ahead of need by itself.
    public var isManual = false
    /// Keep content of segments that are no longer subscribed until its budget is used up.
    public var keepsDroppedContent = false

    /// Nothing is otherwise.
    public init() {}

    /// Decodes overrides; absent members leave it to the release.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        networks = try values.decodeIfPresent(NetworkSelection.self, forKey: .networks)
        fileByteCountMax = try values.decodeIfPresent(Int64.self, forKey: .fileByteCountMax)
        dailyWifiByteCountMax = try values.decodeIfPresent(Int64.self, forKey: .dailyWifiByteCountMax)
        dailyCellularByteCountMax = try values.decodeIfPresent(Int64.self, forKey: .dailyCellularByteCountMax)
        concurrentDownloadsMax = try values.decodeIfPresent(Int.self, forKey: .concurrentDownloadsMax)
        isForced = try values.decodeIfPresent(Bool.self, forKey: .isForced) ?? false
        isManual = try values.decodeIfPresent(Bool.self, forKey: .isManual) ?? false
        keepsDroppedContent = try values.decodeIfPresent(Bool.self, forKey: .keepsDroppedContent) ?? false
    }
}

/// Bytes that downloads ahead of need have moved since local midnight.
public struct DataUsage: Sendable, Hashable, Codable {
    public var wifiByteCount: Int64 = 0
    public var cellularByteCount: Int64 = 0

    /// Nothing.
    public init() {}
}

/// What happened to items of subscribed segments: things of one kind that happened together.
///
/// For each item the order is `discovered`, `startedDownloading` unless its bytes were on the device already, and `downloaded`
/// or `failed`; each is told once until the item leaves the device. `evicted` comes for what was told as downloaded, when it is no
/// longer readable and no other segment has it. What a restart finds on the device is not told again.
public struct ItemChange: Sendable, Hashable {
    /// The kinds of change.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A release brought them; they are not on the device yet.
        case discovered
        case startedDownloading
        /// They are on the device and readable.
        case downloaded
        /// They are no longer on the device.
        case evicted
        case failed
    }

    public var kind: Kind
    public var items: [Prepositioner.ItemStatus]

    /// Creates a value.
    public init(_ kind: Kind, _ items: [Prepositioner.ItemStatus]) {
        self.kind = kind
        self.items = items
    }
}
