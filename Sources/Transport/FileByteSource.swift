import Primitives

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file as a source of bytes, read piece by piece as they are asked for.
final class FileByteSource: ByteSource {
    private static let chunkSize = 128 << 10

    /// How long the file was when it was opened.
    let byteCount: Int64
    /// The descriptor; `nil` once it is closed.
    private let descriptor: Locked<Int32?>

    /// Opens a file. Blocks on the disk.
    /// - Throws: ``TransportError`` when it cannot be opened or is no regular file.
    init(path: String) throws(TransportError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.error("opened") }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TransportError(.requestBodyFailed, "the file to send is not a regular file")
        }
        byteCount = Int64(status.st_size)
        self.descriptor = Locked(descriptor)
    }

    deinit { cancel() }

    func cancel() {
        if let open = descriptor.withLock({ $0.take() }) { close(open) }
    }

    @concurrent func next() async throws -> Data? {
        try Task.checkCancellation()
        // Taken out for the read, so that nobody closes it meanwhile.
        guard let open = descriptor.withLock({ $0.take() }) else { return nil }
        var chunk = Data(count: Self.chunkSize)
        let count = chunk.withUnsafeMutableBytes { buffer in
            var count: Int
            repeat { count = read(open, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            return count
        }
        guard count > 0 else {
            let error = Self.error("read")
            close(open)
            if count < 0 { throw error }
            return nil
        }
        descriptor.withLock { $0 = open }
        return chunk.prefix(count)
    }

    private static func error(_ verb: String) -> TransportError {
        TransportError(.requestBodyFailed, "the file to send cannot be \(verb): \(String(cString: strerror(errno)))")
    }
}
