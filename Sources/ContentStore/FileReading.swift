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

/// Reading from an open file by offset, so that any number of threads may read at once.
enum FileReading {
    /// Reads until so many bytes are there or the file ends.
    static func read(_ descriptor: Int32, at offset: Int64, byteCount: Int, path: String) throws(StoreError) -> Data {
        guard byteCount > 0, offset >= 0 else { return Data() }
        guard let buffer = malloc(byteCount) else { throw StoreError(.readFailed, "no memory to read \(path)") }
        var done = 0
        while done < byteCount {
            let count = pread(descriptor, buffer + done, byteCount - done, off_t(offset) + done)
            if count > 0 {
                done += count
            } else if count == 0 {
                break
            } else if errno != EINTR {
                let number = errno
                free(buffer)
                throw StoreError(.readFailed, "cannot read", path: path, errno: number)
            }
        }
        return Data(bytesNoCopy: buffer, count: done, deallocator: .free)
    }

    /// The bytes of a file in its size as of now; `nil` when the system cannot tell.
    static func size(of descriptor: Int32) -> Int64? {
        var information = stat()
        return fstat(descriptor, &information) == 0 ? Int64(information.st_size) : nil
    }
}
