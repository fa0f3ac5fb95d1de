public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One application of a customer.
public struct App: Sendable, Hashable, Codable {
    /// Such as "app_k3j…"; public.
    public var id: String
    public var name: String
    public var bundleID: String
    public var createdAt: Date
    public var policy: DownloadPolicy
    public var quality: QualityThresholds
    public var pins: [PinRule]

    /// Creates a value.
    public init(
        id: String, name: String, bundleID: String, createdAt: Date, policy: DownloadPolicy,
        quality: QualityThresholds = QualityThresholds(), pins: [PinRule] = []
    ) {
        self.id = id
        self.name = name
        self.bundleID = bundleID
        self.createdAt = createdAt
        self.policy = policy
        self.quality = quality
        self.pins = pins
    }

    /// What the next release will tell devices besides segments.
    public var settings: AppSettings {
        get { AppSettings(policy: policy, quality: quality, pins: pins) }
        set { (policy, quality, pins) = (newValue.policy, newValue.quality, newValue.pins) }
    }
}
