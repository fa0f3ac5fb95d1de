import Cryptography

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The partial downloads of a device: one file for each body, with the validator that lets it go on in the journal.
struct PartialDirectory: Sendable {
    let path: String
    let journal: Journal

    /// Bodies smaller than this start again rather than go on.
    static let byteCountMin: Int64 = 64 << 10

    func prepare() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Removes the files and journal lines of bodies that are not wanted any more.
    func sweep(keeping wanted: Set<String>) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !wanted.contains(name) {
            try FileManager.default.removeItem(atPath: path + "/" + name)
        }
        try journal.removePartials(journal.partials().subtracting(wanted))
    }

    /// Opens the file of a body; `nil` when another process downloads it now.
    func open(_ digest: SHA256Digest) throws(DownloadFailure) -> PartialFile? {
        try PartialFile(path: path + "/" + digest.hex)
    }

    func remove(_ file: PartialFile, _ digest: SHA256Digest) throws {
        try journal.savePartial(nil, of: digest)
        file.remove()
    }
}
