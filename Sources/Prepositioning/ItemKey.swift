/// Names one item of one segment version.
struct ItemKey: Sendable, Hashable {
    var segment: String
    var version: Int
    /// As the manifest writes it.
    var url: String

    /// How the store names what the segment version holds.
    var holder: String { Self.holder(segment, version) }

    static func holder(_ segment: String, _ version: Int) -> String { "\(segment)@\(version)" }
}
