public import HTTPModel

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
    /// What is stored answers several users, as in a proxy that other machines may reach (RFC 9111, section 1). `private`
    /// responses are then not stored, those to `Authorization` only where the origin allows it, and `s-maxage` and
    /// `proxy-revalidate` count. Such a cache has a store of its own: in that of a private cache nothing tells whose a
    /// response is.
    public var isShared = false
    /// The fields that speak to this cache in particular, such as `CDN-Cache-Control`: the first that a response has, and has
    /// well-formed, counts in place of `Cache-Control` and `Expires` (RFC 9213). None by default.
    public var targetedFields: [HTTPFieldName] = []

    /// The defaults.
    public init() {}
}
