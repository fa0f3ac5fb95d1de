import Larder

/// One file on the device.
public final class AkaCachedFile: Hashable, Sendable {
    /// The URL of the resource.
    public let urlString: String
    /// The fields of the response; empty for a removed file.
    public let responseHeaders: [String: String]
    /// The content type, from the response; empty for a removed file.
    public let inferredMIMEType: String
    /// The file of the body, readable as it is; empty for a removed file. Performs disk I/O.
    public var localPath: String { content?.path ?? "" }
    private let content: CachedContent?

    init(_ content: CachedContent) {
        urlString = content.url
        responseHeaders = content.responseFields
        inferredMIMEType = content.mimeType
        self.content = content
    }

    /// A file that is gone.
    init(removed url: String) {
        urlString = url
        responseHeaders = [:]
        inferredMIMEType = ""
        content = nil
    }

    public static func == (left: AkaCachedFile, right: AkaCachedFile) -> Bool {
        left.urlString == right.urlString && left.content == right.content
            && left.responseHeaders == right.responseHeaders
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(urlString)
        hasher.combine(content)
    }
}
