import ContentStore

/// One response on the device, readable without the SDK.
public struct CachedContent: Sendable, Hashable {
    /// The URL of the request.
    public var url: String
    /// The response's fields by name; lines of the same name are joined with ", ".
    public var responseFields: [String: String]
    /// From `Content-Type`, without its parameters; `application/octet-stream` when the response has none.
    public var mimeType: String
    public var byteCount: Int64
    /// Held by a subscribed segment.
    public var isPinned: Bool
    let file: BodyFile

    /// The file of the body: whole, named by its digest, gone when the content is. Read it, do not change it.
    ///
    /// Performs disk I/O: the store keeps small bodies in its index until somebody asks for their file. Empty when the content
    /// has gone or the disk fails.
    public var path: String { file.path }
}

/// The file of a stored body, made when it is asked for. Equal for equal bodies.
final class BodyFile: Sendable, Hashable {
    private let entry: StoreEntry
    private let store: ContentStore

    init(_ entry: StoreEntry, in store: ContentStore) {
        self.entry = entry
        self.store = store
    }

    var path: String {
        do throws(StoreError) { return try store.file(of: entry) } catch { return "" }
    }

    static func == (left: BodyFile, right: BodyFile) -> Bool { left.entry.bodyDigest == right.entry.bodyDigest }
    func hash(into hasher: inout Hasher) { hasher.combine(entry.bodyDigest) }
}

/// A change of the content on the device.
public enum CachedContentChange: Sendable, Hashable {
    /// Readable by the time the change is told.
    case added(CachedContent)
    case updated(CachedContent)
    case removed(url: String)
}
