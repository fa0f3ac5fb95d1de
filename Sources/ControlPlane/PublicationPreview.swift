public import ControlModel

/// What a publication would change, as an operator wants to know it before saying yes.
public struct PublicationPreview: Sendable, Hashable, Codable {
    /// What becomes of one segment.
    public struct SegmentChange: Sendable, Hashable, Codable {
        public var name: String
        /// The version devices have now; `nil` when the segment is new to them.
        public var currentVersion: Int?
        /// The version devices will have; equal to the current one when nothing changes.
        public var nextVersion: Int
        public var itemCount: Int
        public var byteCount: Int64
        public var addedCount: Int
        /// Items of the same URL with other content or settings.
        public var changedCount: Int
        public var removedCount: Int
        /// Items left out because their check failed.
        public var failedCount: Int

        /// Whether devices will see a new version.
        public var isChanged: Bool { currentVersion != nextVersion }
    }

    /// The release's version, should it be published.
    public var nextReleaseVersion: Int
    /// Every segment of the release, by name.
    public var segments: [SegmentChange]
    /// Segments that devices have and will lose.
    public var removedSegments: [String]
    /// What becomes of the app's settings; empty for the first release, in which everything is new.
    public var settingChanges: [SettingChange]
    /// Sentences: why it cannot be published now and what to do; empty when it can.
    public var blockers: [String]

    /// Whether devices would notice.
    public var hasChanges: Bool {
        !settingChanges.isEmpty || !removedSegments.isEmpty || segments.contains(where: \.isChanged)
    }
}
