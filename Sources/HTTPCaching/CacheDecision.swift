public import HTTPModel

/// What to do with a request, and why: the outcome of ``HTTPCache/decide(now:request:stored:policy:)``.
public struct CacheDecision: Sendable, Hashable {
    /// The ways a request can go.
    public enum Action: Sendable, Hashable {
        /// Answer from the entry.
        case serve(entryID: Int64)
        /// Answer from the entry and validate it behind the answer (RFC 5861, section 3).
        case serveAndRevalidate(entryID: Int64, conditionalFields: HTTPFields)
        /// Ask the origin whether the entry is still good (RFC 9111, section 4.3), with these fields set, in place of the
        /// request's own conditional fields.
        case revalidate(entryID: Int64, conditionalFields: HTTPFields)
        /// Fetch what is missing of a stored part, with these fields set, and answer with the whole (RFC 9111, section 3.4).
        case complete(entryID: Int64, conditionalFields: HTTPFields)
        /// Send the request on.
        case forward(CacheStatus.ForwardReason)
        /// Answer 504: the request allows only the cache (RFC 9111, section 5.2.1.7).
        case refuse
    }

    public var action: Action
    /// With a request that goes forward for want of the right variant: the tags of those that are stored.
    public var offer: VariantOffer?
    /// The steps that led here, in order.
    public var reasons: [Reason]
    /// Age of the chosen entry in whole seconds (RFC 9111, section 4.2.3), when one was chosen.
    public var ageSeconds: Int?
    /// Freshness lifetime of the chosen entry in whole seconds (RFC 9111, section 4.2.1).
    public var lifetimeSeconds: Int?

    /// Creates a decision.
    public init(action: Action, reasons: [Reason], ageSeconds: Int? = nil, lifetimeSeconds: Int? = nil) {
        self.action = action
        self.reasons = reasons
        self.ageSeconds = ageSeconds
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// The entry that answers or is validated.
    public var entryID: Int64? {
        switch action {
        case .serve(let id), .serveAndRevalidate(let id, _), .revalidate(let id, _), .complete(let id, _): id
        case .forward, .refuse: nil
        }
    }

    /// Why the request goes forward, in the words of RFC 9211, section 2.2; `nil` when it does not.
    public var forwardReason: CacheStatus.ForwardReason? {
        switch action {
        case .serve, .serveAndRevalidate, .refuse: nil
        case .forward(let reason): reason
        case .complete: .partial
        case .revalidate: isAgainstFreshEntry ? .request : .stale
        }
    }

    /// Whether the request alone asked for the way to the origin; the entry would have been good.
    private var isAgainstFreshEntry: Bool {
        reasons.contains(where: \.isWishOfRequest) && !reasons.contains(where: \.saysStale)
    }

    /// Seconds that the chosen entry is still fresh, negative when it is stale: `ttl` of RFC 9211, section 2.4.
    public var remainingSeconds: Int? {
        guard let ageSeconds, let lifetimeSeconds else { return nil }
        return lifetimeSeconds - ageSeconds
    }
}

/// Whether a response may be stored, and why.
public struct StorageDecision: Sendable, Hashable {
    public var mayStore: Bool
    public var reasons: [CacheDecision.Reason]

    /// Creates a decision.
    public init(mayStore: Bool, reasons: [CacheDecision.Reason]) {
        self.mayStore = mayStore
        self.reasons = reasons
    }
}

/// What went wrong on the way to the origin, as far as caching cares.
public enum ForwardFailure: Sendable, Hashable {
    /// No response: refused, timed out, no name, no network.
    case unreachable
    /// A response with this status (RFC 5861 counts 500, 502, 503 and 504).
    case status(Int)
}
