#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system calls that put bodies on the disk; tests hand in ones that fail.
package struct DiskCalls: Sendable {
    /// As `pwrite(2)`: descriptor, bytes, count, offset.
    package var write: @Sendable (Int32, UnsafeRawPointer, Int, Int64) -> Int = { pwrite($0, $1, $2, off_t($3)) }
    /// As `fdatasync(2)`.
    package var synchronize: @Sendable (Int32) -> Int32 = {
        #if canImport(Darwin)
            fsync($0)
        #else
            fdatasync($0)
        #endif
    }
    /// Whether bodies may be written to files without a name where the file system has them.
    package var allowsUnnamedFiles = true

    /// The system's own calls.
    package init() {}

    /// Writes all bytes, however many calls that takes.
    /// - Returns: 0, or the error number.
    func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64) -> Int32 {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = write(descriptor, base + done, bytes.count - done, offset + Int64(done))
            if count > 0 {
                done += count
            } else if count == 0 {
                return ENOSPC
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }
}
