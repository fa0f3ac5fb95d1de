import ContentStore
import Cryptography
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Where the bytes of a download go: straight to the store, or first to a partial file that survives the process.
struct BodySink {
    private enum Place {
        case store(BodyWriter)
        case partial(PartialFile)
    }

    private static let copyByteCount = 256 << 10

    private let place: Place
    private let item: Manifest.Item
    private let store: ContentStore
    private let partials: PartialDirectory

    /// Opens a sink.
    /// - Parameter mayResume: the body comes as it is, so that a part of it is of use later.
    init(for item: Manifest.Item, mayResume: Bool, store: ContentStore, partials: PartialDirectory) throws {
        self.item = item
        self.store = store
        self.partials = partials
        if mayResume, item.byteCount >= PartialDirectory.byteCountMin, let file = try partials.open(item.sha256) {
            place = .partial(file)
        } else {
            place = .store(try store.beginBody(expectedByteCount: item.byteCount, isPinned: true))
        }
    }

    var byteCount: Int64 {
        switch place {
        case .store(let writer): writer.byteCount
        case .partial(let file): file.byteCount
        }
    }

    /// What is known of the body whose beginning is here; `nil` when it is to be asked for from its start.
    func resumption() throws -> Journal.Partial? {
        guard case .partial(let file) = place, file.byteCount > 0 else { return nil }
        // A body that is here to its last byte, from a process that died before it could check it: that byte is asked for
        // again, so that the origin says whether the body is still the same.
        if file.byteCount >= item.byteCount { try file.truncate(to: item.byteCount - 1) }
        return try partials.journal.partial(of: item.sha256)
    }

    /// Starts from nothing, with what is known of the response that comes now.
    func restart(_ partial: Journal.Partial?) throws {
        guard case .partial(let file) = place else { return }
        // The line in the journal goes first and comes last: bytes are never taken for those of another response.
        if file.byteCount > 0 {
            try partials.journal.savePartial(nil, of: item.sha256)
            try file.truncate(to: 0)
        }
        if let partial { try partials.journal.savePartial(partial, of: item.sha256) }
    }

    func append(_ data: Data) throws {
        switch place {
        case .store(let writer): try writer.append(data)
        case .partial(let file): try file.append(data)
        }
    }

    /// The whole body in the store's hands, and its digest.
    func finish() throws -> (BodyWriter, SHA256Digest) {
        switch place {
        case .store(let writer):
            return (writer, try writer.finish())
        case .partial(let file):
            let writer = try store.beginBody(expectedByteCount: item.byteCount, isPinned: true)
            do {
                while writer.byteCount < file.byteCount {
                    let data = try file.read(at: writer.byteCount, byteCount: Self.copyByteCount)
                    guard !data.isEmpty else { break }
                    try writer.append(data)
                }
                return (writer, try writer.finish())
            } catch {
                writer.discard()
                throw error
            }
        }
    }

    /// Removes what came: it is in the store, or worth nothing.
    func remove() throws {
        switch place {
        case .store(let writer): writer.discard()
        case .partial(let file): try partials.remove(file, item.sha256)
        }
    }

    /// The download is interrupted: what may be of use later stays.
    func abandon() {
        if case .store(let writer) = place { writer.discard() }
    }
}
