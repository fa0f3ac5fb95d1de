import Acceleration
import ContentStore
import Foundation
import Primitives
import Transport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A body on its way into a file of the caller's own.
///
/// The bytes gather in a hidden file beside the destination, which takes the destination's name once it is whole.
struct DownloadedFile {
    let destination: URL

    /// Receives a body. Performs disk I/O; the network waits for the disk.
    /// - Throws: `URLError` when the file cannot be written; what ended the body early.
    func receive(_ answer: AcceleratedResponse) async throws {
        let directory = destination.deletingLastPathComponent().path
        let partial = directory + "/.\(destination.lastPathComponent).\(UUID().uuidString).part"
        // Nothing is there any more after a success; a failure must leave nothing behind.
        defer { try? FileManager.default.removeItem(atPath: partial) }
        if !copy(answer.storedBody, to: partial) { try await write(answer.body, to: partial) }
        guard rename(partial, destination.path) == 0 else { throw failure(.cannotMoveFile, destination.path) }
    }

    /// Copies a stored body in the kernel: its own file must never be the caller's to write.
    /// - Returns: whether the copy is whole; otherwise the stream has to do.
    private func copy(_ body: StoredBody?, to path: String) -> Bool {
        guard let body, let source = body.path else { return false }
        do {
            try FileManager.default.copyItem(atPath: source, toPath: path)
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard (attributes[.size] as? NSNumber)?.int64Value == body.byteCount else {
                try FileManager.default.removeItem(atPath: path)
                return false
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            return true
        } catch {
            // The entry may have been evicted since; its open body can still be streamed, and tells what is wrong if not.
            return false
        }
    }

    private func write(_ body: ByteStream, to path: String) async throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw failure(.cannotCreateFile, path) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        for try await chunk in body {
            do {
                try file.write(contentsOf: chunk)
            } catch {
                throw URLError(
                    .cannotWriteToFile,
                    userInfo: [NSURLErrorFailingURLErrorKey: destination, NSUnderlyingErrorKey: error])
            }
        }
        try file.close()
    }

    private func failure(_ code: URLError.Code, _ path: String) -> URLError {
        let reason = String(cString: strerror(errno))
        return URLError(
            code,
            userInfo: [
                NSURLErrorFailingURLErrorKey: destination, NSLocalizedDescriptionKey: "\(path): \(reason)",
            ])
    }
}
