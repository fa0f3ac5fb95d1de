/// The knobs of the cache that are not in any message.
public struct CachingPolicy: Sendable, Hashable {
    /// The share of a response's age at arrival that serves as its lifetime when nothing explicit is given
    /// (RFC 9111, section 4.2.2); 0 switches heuristics off.
    public var heuristicFraction: Double = 0.1
    /// The longest heuristic lifetime in seconds.
    public var heuristicLifetimeSecondsMax: Int = 86_400
    /// Pinned entries answer, stale or not, when the origin cannot be reached.
    public var servesPinnedWhenUnreachable = true
    /// Requests for one range of bytes are answered from a stored whole. Whoever sets this hands the length of the stored
    /// body to ``HTTPCache/presented(_:for:now:status:bodyByteCount:)`` and sends the part that it names.
    public var answersRanges = false

    /// The defaults.
    public init() {}
}
