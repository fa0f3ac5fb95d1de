import HTTPModel
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Serves the files of a directory: media types, index pages, validators, ranges, and compression where the client takes it.
///
/// Nothing outside of the directory is served, not through links either, nor hidden files (but `.well-known`). A file
/// beside another with `.br`, `.zst` or `.gz` after its name, not older, is sent in its place to clients that take the coding;
/// otherwise text of up to ``Options/compressedByteCountMax`` bytes is compressed with gzip and kept in memory.
public struct StaticFiles: Sendable {
    /// How files are served.
    public struct Options: Sendable {
        /// The value of `Cache-Control` for a path relative to the directory; `nil` leaves the field out.
        public var cacheControl: @Sendable (_ path: String) -> String? = { _ in "public, max-age=300" }
        /// Sent for a directory.
        public var indexName = "index.html"
        /// Whether text is compressed on the fly.
        public var compresses = true
        /// Larger files are not compressed on the fly.
        public var compressedByteCountMax = 4 << 20
        /// What compressed files may take up in memory together; the oldest go first.
        public var compressedCacheByteCountMax = 32 << 20

        /// The defaults.
        public init() {}
    }

    private let root: String
    private let options: Options
    private let compressed: CompressedFiles

    /// Creates a handler.
    /// - Throws: ``HTTPServerError`` when there is no such directory.
    public init(directory: String, options: Options = Options()) throws(HTTPServerError) {
        guard let root = FileFacts.realPath(directory), FileFacts.isDirectory(root) else {
            throw HTTPServerError("there is no directory \(directory)")
        }
        self.root = root
        self.options = options
        compressed = CompressedFiles(byteCountMax: options.compressedCacheByteCountMax)
    }

    /// A route that serves the directory under a path.
    /// - Parameter prefix: such as "/" or "/assets/".
    public func route(under prefix: String = "/") -> Route {
        let prefix = prefix.hasSuffix("/") ? prefix : prefix + "/"
        return Route(.get, "\(prefix){path...}", bodyByteCountMax: 0) { request in
            try response(to: request, path: request.parameter("path"))
        }
    }

    /// Answers a request for a file. Performs I/O, and compresses where it is due.
    /// - Parameter path: decoded, relative to the directory, without a slash at its start.
    /// - Throws: a 404 ``ProblemDocument``.
    public func response(to request: ServerRequest, path: String) throws -> ServerResponse {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        // An empty last segment stands for a directory; any other would make two names for one file.
        guard segments.dropLast().allSatisfy({ !$0.isEmpty }), segments.allSatisfy(Self.isVisible) else {
            throw Problems.fileNotFound
        }
        guard let real = FileFacts.realPath("\(root)/\(path)"), real == root || real.hasPrefix(root + "/") else {
            throw Problems.fileNotFound
        }
        if FileFacts.isDirectory(real) {
            let isSlashed = path.isEmpty || path.hasSuffix("/")
            return isSlashed ? try index(of: real, for: request, path: path) : redirectToDirectory(request)
        }
        guard !path.hasSuffix("/"), let file = FileFacts(path: real) else { throw Problems.fileNotFound }
        return answer(with: file, for: request, path: path)
    }

    private static func isVisible(_ segment: Substring) -> Bool {
        (!segment.hasPrefix(".") || segment == ".well-known") && !segment.utf8.contains { $0 == 0 || $0 == 0x5C }
    }

    private func index(of directory: String, for request: ServerRequest, path: String) throws -> ServerResponse {
        guard let real = FileFacts.realPath("\(directory)/\(options.indexName)"), real.hasPrefix(root + "/"),
            let file = FileFacts(path: real)
        else { throw Problems.fileNotFound }
        return answer(with: file, for: request, path: path + options.indexName)
    }

    private func redirectToDirectory(_ request: ServerRequest) -> ServerResponse {
        ServerResponse(status: 301, fields: ["Location": RequestTarget.encode(path: request.path) + "/"])
    }

    private func answer(with file: FileFacts, for request: ServerRequest, path: String) -> ServerResponse {
        let type = MediaTypes.type(ofFile: path)
        var fields: HTTPFields = ["Content-Type": type, "X-Content-Type-Options": "nosniff"]
        fields[.cacheControl] = options.cacheControl(path)
        guard MediaTypes.isCompressible(type) else { return .file(file, for: request, fields: fields) }
        fields[.vary] = "Accept-Encoding"
        // Parts are parts of the plain file, which is what a resumed download goes on with.
        guard request.fields[.range] == nil else { return .file(file, for: request, fields: fields) }
        return precompressed(file, for: request, fields: fields) ?? compressedNow(file, for: request, fields: fields)
            ?? .file(file, for: request, fields: fields)
    }

    /// The answer from a file that was compressed beforehand.
    private func precompressed(_ file: FileFacts, for request: ServerRequest, fields: HTTPFields) -> ServerResponse? {
        for coding in ContentCoding.allCases where coding.isAccepted(by: request.fields[.acceptEncoding]) {
            guard let real = FileFacts.realPath(file.path + coding.fileSuffix), real.hasPrefix(root + "/"),
                let variant = FileFacts(path: real), variant.modifiedAt >= file.modifiedAt
            else { continue }
            var fields = fields
            fields[.contentEncoding] = coding.rawValue
            let response = ServerResponse(fields: fields, body: .file(path: variant.path, range: nil))
            return response.conditional(for: request, eTag: variant.eTag, lastModified: file.modifiedAt)
        }
        return nil
    }

    private func compressedNow(_ file: FileFacts, for request: ServerRequest, fields: HTTPFields) -> ServerResponse? {
        guard options.compresses, (1...Int64(options.compressedByteCountMax)).contains(file.byteCount),
            ContentCoding.gzip.isAccepted(by: request.fields[.acceptEncoding]),
            let data = compressed.content(of: file)
        else { return nil }
        var fields = fields
        fields[.contentEncoding] = ContentCoding.gzip.rawValue
        // Another representation has another tag (RFC 9110, section 8.8.3.3).
        let eTag = "\(file.eTag.dropLast())-gzip\""
        return ServerResponse(fields: fields, body: .data(data))
            .conditional(for: request, eTag: eTag, lastModified: file.modifiedAt)
    }
}

/// Compressed files in memory, the oldest leaving first.
private final class CompressedFiles: Sendable {
    private struct State {
        var contents: [String: (eTag: String, data: Data)] = [:]
        var order: [String] = []
        var byteCount = 0
    }

    private let byteCountMax: Int
    private let state = Locked(State())

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Compresses unless it is there; `nil` when the file cannot be read or compression saves nothing.
    func content(of file: FileFacts) -> Data? {
        let kept = state.withLock { $0.contents[file.path] }
        if let kept, kept.eTag == file.eTag { return kept.data.isEmpty ? nil : kept.data }
        // A file that has gone or changed since is served, or refused, without compression.
        guard let plain = try? Data(contentsOf: URL(filePath: file.path)), Int64(plain.count) == file.byteCount,
            let data = ContentCoding.gzip(plain)
        else { return nil }
        keep(data.count < plain.count ? data : Data(), of: file)
        return data.count < plain.count ? data : nil
    }

    /// Keeps the content; empty content says that compression saved nothing.
    private func keep(_ data: Data, of file: FileFacts) {
        guard data.count <= byteCountMax else { return }
        state.withLock { state in
            if let old = state.contents.updateValue((file.eTag, data), forKey: file.path) {
                state.byteCount -= old.data.count
            } else {
                state.order.append(file.path)
            }
            state.byteCount += data.count
            while state.byteCount > byteCountMax || state.order.count > 10_000 {
                guard let removed = state.contents.removeValue(forKey: state.order.removeFirst()) else { continue }
                state.byteCount -= removed.data.count
            }
        }
    }
}
