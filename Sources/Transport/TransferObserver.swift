/// Hears what the network does. Called on the loop thread, between two rounds of libcurl: it must return at once.
public protocol TransferObserver: Sendable {
    /// Bytes of responses have arrived, of all transfers together.
    func arrived(_ arrival: TransferArrival)
    /// No response is on its way any more: the last one has ended, or was given up.
    func fellSilent()
    /// A response has begun; told once it is known how long the way to the origin takes. Once for each exchange without a request body.
    func answered(_ answer: TransferAnswer)
}

/// Bytes that have arrived since the last time.
public struct TransferArrival: Sendable, Hashable {
    /// Uptime at which they were there.
    public var uptime: Duration
    /// Heads and bodies, in their content coding.
    public var byteCount: Int
    /// Some of them came slower or faster than the network delivers: the request has a limit, or its reader kept it waiting.
    public var isRestrained: Bool

    /// Creates a value.
    public init(uptime: Duration, byteCount: Int, isRestrained: Bool = false) {
        self.uptime = uptime
        self.byteCount = byteCount
        self.isRestrained = isRestrained
    }
}

/// How long a response took to begin.
public struct TransferAnswer: Sendable, Hashable {
    /// What the way to the origin is known to take, without the origin's own work.
    public enum Way: Sendable, Hashable {
        case unknown
        /// The connection was made for this exchange: the longer one of its handshakes.
        case handshake(Duration)
        /// The kernel's smoothed round trip of the connection and how far single ones were from it (RFC 6298).
        case kernel(Duration, deviation: Duration)
    }

    /// Uptime at which the request went out.
    public var sentAt: Duration
    /// From then to the first byte of the response.
    public var wait: Duration
    /// Bytes of other responses that arrived meanwhile.
    public var otherByteCount: Int
    public var way: Way

    /// Creates a value.
    public init(sentAt: Duration, wait: Duration, otherByteCount: Int = 0, way: Way = .unknown) {
        self.sentAt = sentAt
        self.wait = wait
        self.otherByteCount = otherByteCount
        self.way = way
    }
}
