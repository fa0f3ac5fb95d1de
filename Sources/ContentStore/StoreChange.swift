public import HTTPModel

/// A change of what the store can answer, in the order of the commits.
public enum StoreChange: Sendable, Hashable {
    /// Readable by the time the change is told.
    case added(StoreEntry)
    case updated(StoreEntry)
    case removed(url: HTTPURL, holders: Set<String>)
}
