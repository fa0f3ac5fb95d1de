public import HTTPModel
public import Primitives

/// A response whose head has arrived.
public struct TransportResponse: Sendable {
    public var response: HTTPResponse
    /// Interim responses (1xx) in order.
    public var interim: [HTTPResponse]
    /// The body, decoded when asked for.
    public var body: ByteStream
    /// Whether the body was decoded from this coding, such as "br"; `nil` when it came as it is.
    public var decodedFrom: String?
    /// The metrics; complete once the body has ended, whatever ended it.
    public var metrics: @Sendable () async -> TransferMetrics
    /// Trailer fields, once the body has ended.
    public var trailers: @Sendable () async -> HTTPFields

    /// Creates a response.
    public init(
        response: HTTPResponse, interim: [HTTPResponse] = [], body: ByteStream, decodedFrom: String? = nil,
        metrics: @escaping @Sendable () async -> TransferMetrics,
        trailers: @escaping @Sendable () async -> HTTPFields = { HTTPFields() }
    ) {
        self.response = response
        self.interim = interim
        self.body = body
        self.decodedFrom = decodedFrom
        self.metrics = metrics
        self.trailers = trailers
    }
}
