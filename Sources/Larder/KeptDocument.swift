import Foundation
import Wire

/// A small document in the SDK's directory, for its owner's eyes alone. Every method performs disk I/O.
struct KeptDocument<Value: Codable & Sendable>: Sendable {
    let path: String

    /// The document; `nil` when there is none. One that cannot be read is set aside, in one log line.
    func read(_ log: LogLines) -> Value? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try WireCoding.decode(Value.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            log.write("\(path) cannot be read and is set aside: \(error)")
            if rename(path, path + ".broken") != 0 { log.write("\(path) cannot be renamed: \(reason)") }
            return nil
        }
    }

    /// Replaces the document in one step; `nil` removes it.
    func write(_ value: Value?, _ log: LogLines) {
        guard let value else {
            if unlink(path) != 0, errno != ENOENT { log.write("\(path) cannot be removed: \(reason)") }
            return
        }
        do {
            let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try replace(with: WireCoding.encode(value))
        } catch {
            log.write("\(path) cannot be written: \(error)")
        }
    }

    private func replace(with data: Data) throws {
        let fresh = path + ".new"
        let descriptor = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: fresh]) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
        guard rename(fresh, path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
    }

    private var reason: String { String(cString: strerror(errno)) }
}
