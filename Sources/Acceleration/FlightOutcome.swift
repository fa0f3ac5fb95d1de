import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The head of a response from the network, with its times (RFC 9111, section 4.2.3).
struct FlightHead: Sendable {
    var response: HTTPResponse
    /// The content coding that the transport has taken off the body.
    var decodedFrom: String?
    var requestTime: Date
    var responseTime: Date
    var metrics: @Sendable () async -> TransferMetrics
    /// The interim responses (1xx) before it.
    var interim: [HTTPResponse]
    /// The fields behind the body, once it has ended.
    var trailers: (@Sendable () async -> HTTPFields)?

    init(_ answer: TransportResponse, requestTime: Date, responseTime: Date) {
        response = HTTPCache.dated(answer.response, receivedAt: responseTime)
        decodedFrom = answer.decodedFrom
        self.requestTime = requestTime
        self.responseTime = responseTime
        metrics = answer.metrics
        interim = answer.interim
        trailers = answer.trailers
    }

    /// The response as the caller sees it.
    var presented: HTTPResponse { decodedFrom == nil ? response : HTTPCache.decoded(response) }

    /// The response as it is stored.
    var storable: HTTPResponse {
        HTTPResponse(
            status: response.status, fields: HTTPCache.storableFields(of: response, decodedFrom: decodedFrom))
    }
}

/// What the head of a flight's response brought.
enum FlightOutcome: Sendable {
    /// The body goes into the spool, from which everyone reads.
    case spooled(FlightHead)
    /// The body is for the first who asks.
    case live(FlightHead, ByteStream)
    /// The first has it; everyone else sends a request of their own.
    case taken
    /// The stored entry is still good, and has been updated.
    case confirmed(FlightHead, StoreEntry)
    /// The origin failed with a status that something stored may stand in for.
    case originFailed(FlightHead)
    /// What came is of no use to anybody; everyone sends a plain request.
    case unusable
    case failed(any Error)
}

/// What a flight came to for one of its members.
enum FlightAnswer: Sendable {
    /// A response with its body. Without a share in the spool the body is this member's alone.
    case response(FlightHead, ByteStream, isStored: Bool)
    case confirmed(FlightHead, StoreEntry)
    case originFailed(FlightHead)
    case unusable
    /// Not to be shared: send a request of your own.
    case alone
}
