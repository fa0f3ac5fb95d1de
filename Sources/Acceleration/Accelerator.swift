public import ContentStore
public import HTTPCaching
public import HTTPModel
public import Primitives
public import Transport
public import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    public import Foundation
#endif

/// How a request is to be treated besides what its fields say.
public struct RequestOptions: Sendable {
    /// Follow 3xx responses, ten at most; otherwise the 3xx is the answer.
    public var followsRedirects = true
    /// Neither read nor write the cache.
    public var bypassesCache = false
    /// Longest time for the whole exchange; `nil` for no limit.
    public var totalTimeout: Duration?
    /// Longest time without a byte moving.
    public var idleTimeout = Duration.seconds(60)

    /// The defaults.
    public init() {}
}

/// A response on its way to the caller.
public struct AcceleratedResponse: Sendable {
    /// Status and fields, with this cache's `Cache-Status` member and, from the cache, `Age`.
    public var response: HTTPResponse
    /// The URL that answered, after redirects.
    public var url: HTTPURL
    /// The redirect responses that were followed, in order.
    public var redirects: [HTTPResponse]
    public var body: ByteStream
    /// The stored body, when the whole answer comes from the store: cheaper than the stream for small bodies.
    public var storedBody: StoredBody?
    /// The record of the exchange; complete once the body has ended, whatever ended it.
    public var record: @Sendable () async -> ExchangeRecord
    /// The metrics of the network part; `nil` when there was none.
    public var metrics: @Sendable () async -> TransferMetrics?
    /// What was decided and why.
    public var decision: CacheDecision

    /// Creates a value.
    public init(
        response: HTTPResponse, url: HTTPURL, redirects: [HTTPResponse], body: ByteStream, storedBody: StoredBody?,
        record: @escaping @Sendable () async -> ExchangeRecord,
        metrics: @escaping @Sendable () async -> TransferMetrics?, decision: CacheDecision
    ) {
        self.response = response
        self.url = url
        self.redirects = redirects
        self.body = body
        self.storedBody = storedBody
        self.record = record
        self.metrics = metrics
        self.decision = decision
    }
}

/// The one path that every front door's requests take: decide, then serve from the store or forward to the network.
public final class Accelerator: Sendable {
    /// Creates the path.
    /// - Parameters:
    ///   - store: `nil` when the disk is unusable: every request then goes to the network.
    ///   - transport: the network.
    ///   - policy: the cache's knobs.
    ///   - activity: told of every app request, so that pre-positioning can yield.
    ///   - timekeeper: the clocks.
    ///   - onExchange: called once for each exchange when it has ended; must not block.
    public init(
        store: ContentStore?, transport: any HTTPTransport, policy: CachingPolicy = CachingPolicy(),
        activity: ActivityGate = ActivityGate(), timekeeper: any Timekeeping,
        onExchange: @escaping @Sendable (ExchangeRecord) -> Void = { _ in }
    ) { fatalError("stub") }

    /// Answers a request from the store or the network.
    ///
    /// Identical GET requests in flight share one fetch. A failing disk never fails a request.
    /// - Throws: ``TransportError`` when the origin failed and nothing stored may answer; `CancellationError`.
    public func send(_ request: HTTPRequest, body: RequestBody? = nil, options: RequestOptions = RequestOptions())
        async throws -> AcceleratedResponse
    { fatalError("stub") }

    /// What would be done with a request now, and why; sends nothing.
    public func explain(_ request: HTTPRequest) -> CacheDecision { fatalError("stub") }
}
