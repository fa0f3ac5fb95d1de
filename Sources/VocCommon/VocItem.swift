import Larder

/// One item of a segment, as it stood when the delegate was told of it.
public final class VocItem: Hashable, Sendable {
    /// The URL of the resource.
    public let url: String
    /// The segment that brings it.
    public let segment: String
    public let state: VOCItemState
    /// The size in bytes.
    public let size: Int64
    /// The bytes that are on the device.
    public let bytesDownloaded: Int64
    /// Why the last attempt failed, for people; `nil` when none did.
    public let downloadError: String?

    init(_ item: Prepositioner.ItemStatus, _ kind: ItemChange.Kind, tracksProgress: Bool) {
        url = item.url
        segment = item.segment
        state = VOCItemState(kind)
        size = item.byteCount
        bytesDownloaded = tracksProgress || kind == .downloaded ? item.bytesReceived : 0
        downloadError = item.failure
    }

    public static func == (left: VocItem, right: VocItem) -> Bool {
        left.url == right.url && left.segment == right.segment && left.state == right.state
            && left.bytesDownloaded == right.bytesDownloaded
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(segment)
    }
}
