public import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServerResponse {
    /// Answers GET or HEAD with a file: validators, conditions and one `Range` are taken care of (RFC 9110, sections 13, 14).
    ///
    /// Performs I/O (one `stat`). The entity tag is made of the file's size and time of change; a file that is rewritten
    /// within the clock's resolution keeps its tag.
    /// - Parameters:
    ///   - path: a regular file; links are followed.
    ///   - fields: such as `Content-Type` and `Cache-Control`.
    /// - Returns: 200, 206, 304, 412 or 416; `nil` when there is no regular file that can be read.
    public static func file(
        _ path: String, for request: ServerRequest, fields: HTTPFields = HTTPFields()
    ) -> ServerResponse? {
        FileFacts(path: path).map { file($0, for: request, fields: fields) }
    }

    static func file(_ file: FileFacts, for request: ServerRequest, fields: HTTPFields) -> ServerResponse {
        var fields = fields
        fields[.acceptRanges] = "bytes"
        let whole = ServerResponse(fields: fields, body: .file(path: file.path, range: 0..<file.byteCount))
        var response = whole.conditional(for: request, eTag: file.eTag, lastModified: file.modifiedAt)
        guard response.status == 200, request.method == .get,
            let range = request.fields[.range].flatMap(ByteRange.init),
            Conditions(eTag: EntityTag(file.eTag), lastModified: file.modifiedAt).allowsRange(for: request.fields)
        else { return response }
        guard let offsets = range.resolved(in: file.byteCount) else {
            return .problem(
                Problems.rangeNotSatisfiable(byteCount: file.byteCount),
                fields: ["Content-Range": "bytes */\(file.byteCount)", "Accept-Ranges": "bytes"])
        }
        response.status = 206
        response.fields[.contentRange] = "bytes \(offsets.lowerBound)-\(offsets.upperBound - 1)/\(file.byteCount)"
        response.body = .file(path: file.path, range: offsets)
        return response
    }
}
