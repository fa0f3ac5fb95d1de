import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A body that must be handed over in one piece: in memory while it is short, in a file that is mapped when it is not.
struct BodySpool: ~Copyable {
    /// Bytes that stay in memory.
    static let memoryByteCountMax = 4 << 20

    private let directory: URL
    private var memory = Data()
    private var file: (handle: FileHandle, url: URL)?

    /// Creates an empty body.
    /// - Parameter directory: where a long body goes; the system's temporary directory unless told.
    init(directory: URL = FileManager.default.temporaryDirectory) { self.directory = directory }

    deinit { discard() }

    /// Appends bytes. Performs disk I/O once the body is long.
    /// - Throws: `URLError.cannotCreateFile` or `.cannotWriteToFile` when the disk will not have it.
    mutating func append(_ data: Data) throws {
        if let file { return try Self.write(data, to: file.handle) }
        if memory.count + data.count <= Self.memoryByteCountMax {
            if memory.isEmpty { memory = data } else { memory.append(data) }
            return
        }
        let url = directory.appendingPathComponent("larder-\(UUID().uuidString).body")
        guard
            FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]),
            let handle = FileHandle(forWritingAtPath: url.path)
        else { throw URLError(.cannotCreateFile) }
        file = (handle, url)
        try Self.write(memory, to: handle)
        memory = Data()
        try Self.write(data, to: handle)
    }

    /// The whole body. A file has no name any more; its bytes go with the last copy of the data.
    consuming func finish() throws -> Data {
        guard let file else { return memory }
        do {
            return try Data(contentsOf: file.url, options: .alwaysMapped)
        } catch {
            throw URLError(.cannotOpenFile, userInfo: [NSUnderlyingErrorKey: error])
        }
    }

    private func discard() {
        guard let file else { return }
        // Neither can lose anything: the bytes are mapped or not wanted any more.
        try? file.handle.close()
        try? FileManager.default.removeItem(at: file.url)
    }

    private static func write(_ data: Data, to handle: FileHandle) throws {
        do {
            try handle.write(contentsOf: data)
        } catch {
            throw URLError(.cannotWriteToFile, userInfo: [NSUnderlyingErrorKey: error])
        }
    }
}
