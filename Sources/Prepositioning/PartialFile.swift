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

/// The beginning of a body, kept so that an interrupted download can go on. For one process at a time, which a lock on the file
/// sees to; every method performs disk I/O.
final class PartialFile: @unchecked Sendable {  // used by one task at a time, which owns it
    private let descriptor: Int32
    let path: String
    private(set) var byteCount: Int64

    /// Opens a file, made when missing.
    /// - Returns: `nil` when another process downloads the same body now.
    /// - Throws: ``DownloadFailure`` when the file cannot be used.
    init?(path: String) throws(DownloadFailure) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open \(path)") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let failure = Self.failure("cannot examine \(path)")
            close(descriptor)
            throw failure
        }
        self.descriptor = descriptor
        self.path = path
        byteCount = Int64(status.st_size)
    }

    deinit { close(descriptor) }

    /// Adds bytes at the end.
    func append(_ data: Data) throws(DownloadFailure) {
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes { bytes in
                pwrite(
                    descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
                    off_t(byteCount) + off_t(written))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("cannot write \(path)") }
            written += count
        }
        byteCount += Int64(data.count)
    }

    /// Reads at an offset; fewer bytes than asked for at the end only.
    func read(at offset: Int64, byteCount: Int) throws(DownloadFailure) -> Data {
        var data = Data(count: byteCount)
        while true {
            let count = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("cannot read \(path)") }
            return data.prefix(count)
        }
    }

    /// Forgets what is beyond an offset.
    func truncate(to byteCount: Int64) throws(DownloadFailure) {
        guard ftruncate(descriptor, off_t(byteCount)) == 0 else { throw Self.failure("cannot shorten \(path)") }
        self.byteCount = byteCount
    }

    /// Removes the file; the descriptor stays until the value is let go of.
    func remove() { unlink(path) }

    private static func failure(_ text: String) -> DownloadFailure {
        DownloadFailure("\(text): \(String(cString: strerror(errno)))", isTransient: false)
    }
}
