public import ContentStore
public import HTTPCaching
public import HTTPModel
public import Primitives
public import Transport
public import Wire

/// A response on its way to the caller.
public struct AcceleratedResponse: Sendable {
    /// Status and fields, with this cache's `Cache-Status` member and, from the cache, `Age`.
    public var response: HTTPResponse
    /// The URL that answered, after redirects.
    public var url: HTTPURL
    /// The redirect responses that were followed, in order.
    public var redirects: [HTTPResponse]
    /// The body; letting go of it ends the exchange.
    public var body: ByteStream
    /// The stored body, when the whole answer comes from the store: cheaper than the stream for small bodies.
    ///
    /// A caller that takes it lets go of ``body`` unread; the record then counts the whole body as handed over.
    public var storedBody: StoredBody?
    /// The interim responses (1xx) that came before this one, in order; none from the store.
    public var interim: [HTTPResponse]
    /// The fields behind the body, once it has ended; none when others shared the fetch, and none from the store.
    public var trailers: @Sendable () async -> HTTPFields
    /// The record of the exchange; complete once the body has ended, whatever ended it.
    ///
    /// Each redirect that was followed is an exchange of its own, with a record of its own.
    public var record: @Sendable () async -> ExchangeRecord
    /// The metrics of the network part; `nil` when there was none or another request in flight had it.
    public var metrics: @Sendable () async -> TransferMetrics?
    /// What was decided and why.
    public var decision: CacheDecision

    /// Creates a value.
    public init(
        response: HTTPResponse, url: HTTPURL, redirects: [HTTPResponse], body: ByteStream, storedBody: StoredBody?,
        interim: [HTTPResponse] = [], trailers: @escaping @Sendable () async -> HTTPFields = { HTTPFields() },
        record: @escaping @Sendable () async -> ExchangeRecord,
        metrics: @escaping @Sendable () async -> TransferMetrics?, decision: CacheDecision
    ) {
        self.response = response
        self.url = url
        self.redirects = redirects
        self.body = body
        self.storedBody = storedBody
        self.interim = interim
        self.trailers = trailers
        self.record = record
        self.metrics = metrics
        self.decision = decision
    }
}
