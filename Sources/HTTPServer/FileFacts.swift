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

/// What the file system says about a regular file.
struct FileFacts: Sendable {
    let path: String
    let byteCount: Int64
    let modifiedAt: Date
    /// Strong, with its quotation marks.
    let eTag: String

    /// Performs I/O; `nil` when there is no regular file that can be read.
    init?(path: String) {
        var details = stat()
        guard stat(path, &details) == 0, details.st_mode & S_IFMT == S_IFREG, access(path, R_OK) == 0 else {
            return nil
        }
        self.path = path
        byteCount = Int64(details.st_size)
        #if canImport(Darwin)
            let time = details.st_mtimespec
        #else
            let time = details.st_mtim
        #endif
        let seconds = Int64(time.tv_sec), nanoseconds = Int64(time.tv_nsec)
        modifiedAt = Date(timeIntervalSince1970: Double(seconds))
        eTag = "\"\(String(byteCount, radix: 36))-\(String(seconds, radix: 36))-\(String(nanoseconds, radix: 36))\""
    }

    static func isDirectory(_ path: String) -> Bool {
        var details = stat()
        return stat(path, &details) == 0 && details.st_mode & S_IFMT == S_IFDIR
    }

    /// The path without links and dot segments; `nil` when there is nothing.
    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
