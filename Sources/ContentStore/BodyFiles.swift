import Cryptography

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The files of a store: bodies named by their digest, and those that are being written.
///
/// Whoever gives a body its name or takes it away holds the index's write lock, which makes the two processes that may
/// share a store take turns.
struct BodyFiles: Sendable {
    let directory: String
    let disk: DiskCalls

    /// - Parameter directory: a relative path is taken from the current directory as it is now.
    init(directory: String, disk: DiskCalls) {
        self.disk = disk
        if !directory.hasPrefix("/"), let current = getcwd(nil, 0) {
            defer { free(current) }
            self.directory = String(cString: current) + "/" + directory
        } else {
            self.directory = directory
        }
    }

    var indexPath: String { directory + "/index.sqlite" }
    var generationsPath: String { directory + "/generations" }
    /// There while the index is known to be damaged.
    var suspectMarkPath: String { directory + "/index.suspect" }
    private var bodiesDirectory: String { directory + "/bodies" }
    private var incomingDirectory: String { directory + "/incoming" }

    /// Makes the directories, readable by the user alone.
    func makeDirectories() throws(StoreError) {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            try makeDirectory(path)
        }
        try makeDirectory(bodiesDirectory)
        try makeDirectory(incomingDirectory)
    }

    private func makeDirectory(_ path: String) throws(StoreError) {
        if mkdir(path, 0o700) == 0 { return }
        let number = errno
        // Above the store there may be directories that can be neither made nor written, only passed.
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFDIR else {
            throw StoreError(.directoryUnusable, "cannot make the directory", path: path, errno: number)
        }
    }

    func path(of digest: SHA256Digest) -> String { "\(bodiesDirectory)/\(digest.hex.prefix(2))/\(digest.hex)" }

    /// Begins a body's file.
    func makeIncoming() throws(StoreError) -> IncomingFile {
        try IncomingFile(directory: incomingDirectory, allowsUnnamed: disk.allowsUnnamedFiles)
    }

    /// Gives a finished body its name, or leaves the equal one that is there. Under the write lock.
    func keep(_ file: IncomingFile, digest: SHA256Digest, byteCount: Int64) throws(StoreError) {
        let path = path(of: digest)
        var attempts = 0
        while true {
            let failure = file.link(to: path)
            attempts += 1
            switch failure {
            case 0: return
            case EEXIST where isWhole(digest, byteCount: byteCount): return
            case EEXIST where attempts < 3: unlink(path)
            case ENOENT where attempts < 3: mkdir("\(bodiesDirectory)/\(digest.hex.prefix(2))", 0o700)
            default: throw StoreError(.writeFailed, "cannot make the file", path: path, errno: failure)
            }
        }
    }

    /// Whether a body's file is there in its full size.
    func isWhole(_ digest: SHA256Digest, byteCount: Int64) -> Bool {
        var information = stat()
        return stat(path(of: digest), &information) == 0 && Int64(information.st_size) == byteCount
    }

    /// Opens a body; `nil` when it is not there or not of that size.
    func open(_ digest: SHA256Digest, byteCount: Int64) throws(StoreError) -> StoredBody? {
        let path = path(of: digest)
        let descriptor = Self.openForReading(path)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreError(.readFailed, "cannot open", path: path, errno: errno)
        }
        guard FileReading.size(of: descriptor) == byteCount else {
            close(descriptor)
            return nil
        }
        return StoredBody(descriptor: descriptor, byteCount: byteCount, path: path)
    }

    /// Removes a body. Under the write lock. A file that cannot be removed is found by a check of the store.
    func remove(_ digest: SHA256Digest) { unlink(path(of: digest)) }

    /// The digests of all bodies on disk. Names that the store does not give are left alone.
    func digests() -> Set<SHA256Digest> {
        var digests: Set<SHA256Digest> = []
        for part in DirectoryListing.names(in: bodiesDirectory) {
            for name in DirectoryListing.names(in: "\(bodiesDirectory)/\(part)") where name.hasPrefix(part) {
                if let digest = SHA256Digest(hex: name) { digests.insert(digest) }
            }
        }
        return digests
    }

    /// Notes that the index is damaged, so that it is looked through when the store is opened next.
    func markSuspect() {
        let descriptor = Self.openForMarking(suspectMarkPath)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Removes what writers left that have died.
    func sweepIncoming() { IncomingFile.sweep(directory: incomingDirectory) }

    private static func openForReading(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_RDONLY | O_CLOEXEC)
        #else
            Darwin.open(path, O_RDONLY | O_CLOEXEC)
        #endif
    }

    private static func openForMarking(_ path: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #else
            Darwin.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #endif
    }
}
