/// One response on the device, readable without the SDK.
public struct CachedContent: Sendable, Hashable {
    /// The URL of the request.
    public var url: String
    /// The response's fields by name; lines of the same name are joined with ", ".
    public var responseFields: [String: String]
    /// From `Content-Type`, without its parameters; `application/octet-stream` when the response has none.
    public var mimeType: String
    /// The file of the body: whole, named by its digest, gone when the content is. Read it, do not change it.
    public var path: String
    public var byteCount: Int64
    /// Held by a subscribed segment.
    public var isPinned: Bool
}

/// A change of the content on the device.
public enum CachedContentChange: Sendable, Hashable {
    /// Readable by the time the change is told.
    case added(CachedContent)
    case updated(CachedContent)
    case removed(url: String)
}
