import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport
import Wire

/// The answer to one request, before redirects are followed and the record begins.
struct Hop: Sendable {
    /// Where the body is.
    enum Body: Sendable {
        case none
        case stream(ByteStream)
        case stored(StoredBody)
    }

    var response: HTTPResponse
    var body: Body
    var outcome: ExchangeRecord.Outcome
    /// This cache's own member of `Cache-Status`.
    var cacheStatus: String
    var segments: [String] = []
    var decision: CacheDecision
    /// `nil` when no byte was moved on the wire for this request.
    var metrics: (@Sendable () async -> TransferMetrics)?
    /// The interim responses (1xx) before this one.
    var interim: [HTTPResponse] = []
    /// The fields behind the body; `nil` when there are none or they have not been kept.
    var trailers: (@Sendable () async -> HTTPFields)?
}
