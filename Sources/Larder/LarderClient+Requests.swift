import Acceleration
import ContentStore
public import Foundation
import HTTPCaching
import HTTPModel
public import Primitives
import Transport

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Requests in Foundation's terms. All of them throw `URLError`, with ``TransportError`` as underlying error, or
/// `CancellationError`; cancelling the task ends the request at once.
extension LarderClient {
    /// The whole body in memory, and the response.
    public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        try await whole(request, body: nil)
    }

    /// The whole body in memory, and the response.
    public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
        try await data(for: URLRequest(url: url))
    }

    /// The body as a file of the caller's own, moved to `destination` when whole.
    ///
    /// A file that is there already is replaced in one step; whatever goes wrong leaves it as it was. The status is for the
    /// caller to look at: an error page is a body as well.
    public func download(for request: URLRequest, to destination: URL) async throws -> HTTPURLResponse {
        try await translatingErrors(of: request) {
            let (answer, response) = try await begin(request, body: nil)
            try await DownloadedFile(destination: destination).receive(answer)
            return response
        }
    }

    /// Sends a body from memory.
    public func upload(for request: URLRequest, from body: Data) async throws -> (Data, HTTPURLResponse) {
        try await whole(request, body: .data(body))
    }

    /// Sends a body from a file, read as the network takes it.
    public func upload(for request: URLRequest, fromFile file: URL) async throws -> (Data, HTTPURLResponse) {
        guard file.isFileURL, FileManager.default.fileExists(atPath: file.path) else {
            throw URLError(.fileDoesNotExist, userInfo: [NSURLErrorFailingURLErrorKey: file])
        }
        guard FileManager.default.isReadableFile(atPath: file.path) else {
            throw URLError(.noPermissionsToReadFile, userInfo: [NSURLErrorFailingURLErrorKey: file])
        }
        return try await whole(request, body: .file(path: file.path))
    }

    /// Sends a body from a stream.
    /// - Parameter byteCount: the length of the body when known.
    public func upload(for request: URLRequest, from body: ByteStream, byteCount: Int64?) async throws -> (
        Data, HTTPURLResponse
    ) {
        try await whole(request, body: .stream(body, byteCount: byteCount))
    }

    /// The body as a stream, at the caller's pace.
    ///
    /// Reading the stream throws ``TransportError`` when the transfer breaks off.
    public func stream(for request: URLRequest) async throws -> (ByteStream, HTTPURLResponse) {
        try await translatingErrors(of: request) {
            let (answer, response) = try await begin(request, body: nil)
            return (answer.body, response)
        }
    }

    // MARK: - Parts

    private func whole(_ request: URLRequest, body: RequestBody?) async throws -> (Data, HTTPURLResponse) {
        try await translatingErrors(of: request) {
            let (answer, response) = try await begin(request, body: body)
            if let data = storedData(answer) { return (data, response) }
            return (try await answer.body.collect(), response)
        }
    }

    /// The stored body at once; `nil` when there is none, or the disk fails and the stream is to tell.
    private func storedData(_ answer: AcceleratedResponse) -> Data? {
        do {
            return try answer.storedBody?.data()
        } catch {
            services.log.once("readFailed", "a stored body could not be read at once: \(error)")
            return nil
        }
    }

    private func begin(_ request: URLRequest, body: RequestBody?) async throws -> (AcceleratedResponse, HTTPURLResponse)
    {
        var translation = try FoundationBridge.translate(request)
        if let body { translation.body = body }
        let answer = try await send(translation.request, body: translation.body, options: translation.options)
        if request.cachePolicy == .returnCacheDataDontLoad, answer.decision.action == .refuse {
            throw URLError(.resourceUnavailable)  // as Foundation says that nothing is stored
        }
        return (answer, try FoundationBridge.response(answer.response, url: answer.url))
    }

    private func translatingErrors<Result>(
        of request: URLRequest, _ operation: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw FoundationBridge.urlError(for: error, url: request.url)
        }
    }
}
