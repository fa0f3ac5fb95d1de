import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file of a body being written.
///
/// Where the file system allows, it has no name until the body is committed, so that nothing is left of it when the
/// process dies. Elsewhere it has a name and an advisory lock (`flock`), which ends with the process: files in the
/// directory that nobody locks have no owner any more.
final class IncomingFile: Sendable {
    let descriptor: Int32
    let directory: String
    /// The file's name, `nil` for a file without one.
    private let name: Locked<String?>

    /// Creates an empty file.
    init(directory: String, allowsUnnamed: Bool) throws(StoreError) {
        self.directory = directory
        if allowsUnnamed, let descriptor = Self.openUnnamed(in: directory) {
            self.descriptor = descriptor
            name = Locked(nil)
        } else {
            let (descriptor, path) = try Self.openNamed(in: directory)
            self.descriptor = descriptor
            name = Locked(path)
        }
    }

    deinit {
        removeName()
        close(descriptor)
    }

    /// Gives the file a name beside the one it may have.
    /// - Returns: 0, or the error number, such as `EEXIST`.
    func link(to path: String) -> Int32 {
        let source = name.withLock { $0 } ?? "/proc/self/fd/\(descriptor)"
        return linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
    }

    /// Removes the name under which the file is being written.
    func removeName() {
        // A name that cannot be removed is removed by the next sweep.
        if let path = name.withLock({ $0.take() }) { unlink(path) }
    }

    private static func openUnnamed(in directory: String) -> Int32? {
        #if os(Linux)
            // `O_TMPFILE` of <fcntl.h>, which is too complex a macro to be imported.
            let unnamed = 0o20_000_000 | O_DIRECTORY
            // Naming the file later goes through /proc.
            guard access("/proc/self/fd", F_OK) == 0 else { return nil }
            let descriptor = open(directory, unnamed | O_RDWR | O_CLOEXEC, 0o600)
            return descriptor >= 0 ? descriptor : nil
        #else
            return nil
        #endif
    }

    private static func openNamed(in directory: String) throws(StoreError) -> (Int32, path: String) {
        while true {
            var template = Array("\(directory)/XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            guard descriptor >= 0 else {
                throw StoreError(.writeFailed, "cannot make a file in", path: directory, errno: errno)
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
            // A sweep may have taken the file for ownerless before it was locked.
            var information = stat()
            if fstat(descriptor, &information) == 0, information.st_nlink > 0 {
                let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return (descriptor, path)
            }
            close(descriptor)
        }
    }

    /// Removes the files in a directory whose writers have died.
    static func sweep(directory: String) {
        guard let stream = opendir(directory) else { return }
        defer { closedir(stream) }
        while let name = DirectoryListing.nextName(stream) {
            let path = "\(directory)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }
}
