/// Whether server and origins can be reached over the network in use, as the tries themselves show.
struct Reachability: Sendable, Hashable {
    /// The last try to reach the server failed.
    private var isServerSilent = false
    /// An item was given up because no connection came about, and no origin was reached since the sync began.
    private var areOriginsSilent = false
    private var hasReachedOrigin = false
    /// A connection to an origin did not come about, and none has since the sync began: the items that failed are tried again,
    /// the others wait for them.
    private(set) var isDoubtful = false
    /// Downloads are pointless until the next sync tries again.
    private(set) var isGivenUp = false

    /// Whether to say that hosts cannot be reached.
    var isUnreachable: Bool { isServerSilent || areOriginsSilent }

    mutating func noteServer(isReached: Bool) { isServerSilent = !isReached }

    mutating func noteOriginReached() {
        hasReachedOrigin = true
        areOriginsSilent = false
        isDoubtful = false
        isGivenUp = false
    }

    /// A connection to an origin did not come about.
    mutating func noteOriginFailed() { isDoubtful = !hasReachedOrigin }

    /// An item has failed for good, for want of a connection.
    mutating func noteOriginGivenUp() {
        guard !hasReachedOrigin else { return }
        areOriginsSilent = true
        isGivenUp = true
    }

    /// Another try for all.
    mutating func noteSyncBegan() {
        hasReachedOrigin = false
        isDoubtful = false
        isGivenUp = false
    }

    /// Nothing is known of a new network.
    mutating func noteNetworkChanged() { self = Reachability() }
}
