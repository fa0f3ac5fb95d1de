/// Where the service stands.
public enum VOCServiceState: Int, Sendable, CaseIterable {
    case notRegistered = 0
    /// Registered, without a configuration yet.
    case initializing = 1
    case idle = 2
    case downloading = 3
}

/// The kind of network in use.
public enum VOCConnectionType: Int, Sendable, CaseIterable {
    case none = 0
    case isCellular = 1
    /// Wi-Fi, and every network that is not cellular.
    case isWiFi = 2
}

/// What is known of the network's quality.
public enum VocNetworkQualityStatus: Int, Sendable, CaseIterable {
    case poor = 0
    case good = 1
    case excellent = 2
    /// The quality cannot be told.
    case unknown = -1
    /// Nothing has been measured yet.
    case notReady = -2
}

/// The networks that downloads ahead of need may use.
public enum VOCNetworkSelection: Int, Sendable, CaseIterable {
    /// As an override: leave it to the server.
    case invalid = -1
    case none = 0
    case wifiOnly = 100
    case wifiAndCellular = 101
    case cellularOnly = 102
}

/// Whether items are downloaded by themselves.
public enum VOCItemDownloadBehavior: Int, Sendable, CaseIterable {
    /// Of single items in the retired SDK; as a setting it means ``fullAuto``.
    case sdkBehavior = 0
    case fullAuto = 1
    /// Of videos in the retired SDK; means ``none`` here.
    case thumbnailOnly = 2
    case none = 3
}

/// Where an item of a segment stands.
public enum VOCItemState: Int, Sendable, CaseIterable {
    case discovered = 0
    case downloading = 1
    case cached = 2
    case deleted = 3
    case failed = 4
    case queued = 5
    /// Begun, and interrupted.
    case idle = 6
}

/// What stands against downloads ahead of need; several can hold at once.
public struct VOCPolicyStatus: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    /// Creates a value of any options.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Nothing stands against downloads.
    public static let inPolicy: VOCPolicyStatus = []
    public static let notRegistered = VOCPolicyStatus(rawValue: 1)
    /// Downloads are switched off.
    public static let noDownload = VOCPolicyStatus(rawValue: 2)
    public static let wifiDisallowedOnBattery = VOCPolicyStatus(rawValue: 4)
    public static let wifiNotAllowed = VOCPolicyStatus(rawValue: 8)
    public static let hostUnreachableViaWifi = VOCPolicyStatus(rawValue: 0x10)
    public static let cellularDisallowedOnBattery = VOCPolicyStatus(rawValue: 0x20)
    public static let cellularTimeOfDay = VOCPolicyStatus(rawValue: 0x40)
    public static let cellularNotAllowed = VOCPolicyStatus(rawValue: 0x80)
    public static let hostUnreachableViaCellular = VOCPolicyStatus(rawValue: 0x100)
    public static let batteryTooLow = VOCPolicyStatus(rawValue: 0x200)
}

/// A quota without limit, in bytes.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let VOCDownloadQuotaUnlimited = Int64.max
