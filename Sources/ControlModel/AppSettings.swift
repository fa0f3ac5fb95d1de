public import Wire

/// What an app's releases tell devices besides segments.
public struct AppSettings: Sendable, Hashable, Codable {
    public var policy: DownloadPolicy
    public var quality: QualityThresholds
    public var pins: [PinRule]

    /// Creates a value; the defaults restrict nothing.
    public init(
        policy: DownloadPolicy = DownloadPolicy(), quality: QualityThresholds = QualityThresholds(),
        pins: [PinRule] = []
    ) {
        self.policy = policy
        self.quality = quality
        self.pins = pins
    }
}

extension Release {
    /// What it tells devices besides segments.
    public var settings: AppSettings { AppSettings(policy: policy, quality: quality, pins: pins) }
}

extension NetworkSelection {
    /// Whether downloads may use Wi-Fi and wired networks.
    public var includesWifi: Bool { self == .wifiOnly || self == .wifiAndCellular }
    /// Whether downloads may use cellular and metered networks.
    public var includesCellular: Bool { self == .cellularOnly || self == .wifiAndCellular }

    /// Such as "Wi-Fi only".
    public var label: String {
        switch self {
        case .none: "none"
        case .wifiOnly: "Wi-Fi only"
        case .wifiAndCellular: "Wi-Fi and cellular"
        case .cellularOnly: "cellular only"
        }
    }
}
