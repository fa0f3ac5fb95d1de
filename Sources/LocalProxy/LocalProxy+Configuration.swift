public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension LocalProxy {
    /// Where a proxy listens, what it stands in front of, and its bounds.
    public struct Configuration: Sendable {
        /// The numeric address to listen on. Whoever can reach it can use the proxy: it asks nobody who they are.
        public var address = "127.0.0.1"
        /// The port to listen on; 0 takes a free one.
        public var port: UInt16 = 0
        /// The origin that a reverse proxy stands in front of, with the prefix of its paths; `nil` for a forward proxy.
        public var origin: HTTPURL?
        /// Send the client's own `Host` on to ``origin`` instead of the origin's.
        public var preservesHost = false
        /// Neither answer from the cache nor store.
        public var bypassesCache = false
        /// The ports that CONNECT may reach; `nil` for any.
        public var connectPorts: Set<UInt16>? = [443]
        /// What the proxy calls itself in `Via`, by which it knows its own requests when they come back to it.
        public var name = "larder-" + String(UInt32.random(in: 0...UInt32.max), radix: 16)

        /// Most clients at a time; more wait in the kernel's queue until one has gone.
        public var connectionsMax = 1_024
        /// Most bytes of a request's head; more are answered 431.
        public var headByteCountMax = 64 << 10
        /// Most bytes of a request's target; more are answered 414.
        public var targetByteCountMax = 32 << 10
        /// Bytes of a body in memory in each direction before its sender has to wait. One chunk more may be there.
        public var windowByteCount = 256 << 10
        /// Connections for CONNECT that are being made at a time; more are answered 503.
        public var dialsMax = 64

        /// Longest time from the first byte of a head to its last; then 408.
        public var headTimeout = Duration.seconds(30)
        /// Longest time without a request on a connection, or without the client taking or giving a byte that is due.
        public var idleTimeout = Duration.seconds(60)
        /// Longest time without a byte from the origin; then 504.
        public var originIdleTimeout = Duration.seconds(60)
        /// Until a connection for CONNECT stands; then 504.
        public var connectTimeout = Duration.seconds(30)
        /// Longest time without a byte through a tunnel.
        public var tunnelIdleTimeout = Duration.seconds(600)
        /// What requests under way have to end in after ``LocalProxy/stop()``.
        public var stopGrace = Duration.seconds(10)

        /// Called on the proxy's own thread for each answer that has ended; must not block.
        public var onAccess: (@Sendable (AccessRecord) -> Void)?

        /// The defaults: a forward proxy on the loopback.
        public init() {}
    }

    /// One request and what became of it.
    public struct AccessRecord: Sendable {
        /// When the request's head had come.
        public var date: Date
        /// The client's numeric address.
        public var client: String
        public var method: String
        /// The request's target as it came, without user information.
        public var target: String
        /// 0 when no answer was given.
        public var status: Int
        /// Bytes of the answer, head and framing included, that the kernel took.
        public var sentByteCount: Int64
        public var duration: Duration
        /// This cache's own member of `Cache-Status`; empty when the answer has none.
        public var cacheStatus: String
        /// Whether the answer went out whole.
        public var isComplete: Bool
    }
}
