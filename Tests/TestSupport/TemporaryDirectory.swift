public import Foundation

/// A directory of a test's own, removed with all that is in it when the value is let go of.
public final class TemporaryDirectory: Sendable {
    public let path: String

    /// Makes an empty directory, in the system's place for temporary ones unless told.
    public init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        let url = parent.appendingPathComponent("larder-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            FileHandle.standardError.write(Data("cannot remove \(path): \(error)\n".utf8))
        }
    }

    /// The path of something in the directory.
    public func path(_ name: String) -> String { path + "/" + name }
}
