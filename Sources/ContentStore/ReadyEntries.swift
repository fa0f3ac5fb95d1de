public import HTTPModel
import Primitives

/// The visible entries of a URL, decoded, with their bodies where these are small: what memory keeps of the store.
public final class ReadyEntries: Sendable {
    /// What a reader of the store wants to keep for as long as the entries are true.
    public protocol Attachment: AnyObject, Sendable {}

    public let url: HTTPURL
    public let entries: [StoreEntry]
    let hash: UInt64
    private let bodies: [StoredBody?]
    private let uses: [UseNote]
    private let attached = Locked<(any Attachment)?>(nil)

    init(url: HTTPURL, hash: UInt64, entries: [StoreEntry], bodies: [StoredBody?]) {
        self.url = url
        self.hash = hash
        self.entries = entries
        self.bodies = bodies
        uses = entries.map { UseNote(entryID: $0.id) }
    }

    /// Kept with the entries and forgotten with them.
    public var attachment: (any Attachment)? {
        get { attached.withLock { $0 } }
        set { attached.withLock { $0 = newValue } }
    }

    /// About the memory that they take, in bytes, with an attachment of about the size of an entry.
    var byteCount: Int {
        var count = 512 + url.string.utf8.count
        for (entry, body) in zip(entries, bodies) {
            count += 1_024 + (body.map { Int($0.byteCount) } ?? 0)
            for fields in [entry.requestFields, entry.response.fields] {
                for field in fields { count += 64 + field.name.rawName.utf8.count + 2 * field.value.utf8.count }
            }
        }
        return count
    }

    /// The body of an entry, if it is here.
    func body(of entry: StoreEntry) -> StoredBody? {
        for index in entries.indices where entries[index].id == entry.id { return bodies[index] }
        return nil
    }

    /// Where the use of an entry is noted.
    func use(of entry: StoreEntry) -> UseNote? { uses.first { $0.entryID == entry.id } }
}
