public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What a decision needs to know of one stored response; the body stays in the store.
public struct StoredResponse: Sendable, Hashable {
    /// The store's id of the entry.
    public var id: Int64
    /// The fields of the request that the response answered, as far as its `Vary` nominates them.
    public var requestFields: HTTPFields
    /// Status and fields as stored.
    public var response: HTTPResponse
    /// When the request was sent (RFC 9111, section 4.2.3: `request_time`).
    public var requestTime: Date
    /// When the response head arrived (`response_time`).
    public var responseTime: Date
    /// An unsafe request has invalidated it (RFC 9111, section 4.4): not to be used without validation.
    public var isInvalidated: Bool
    /// A subscribed segment holds it.
    public var isPinned: Bool

    /// Creates a value.
    public init(
        id: Int64, requestFields: HTTPFields, response: HTTPResponse, requestTime: Date, responseTime: Date,
        isInvalidated: Bool = false, isPinned: Bool = false
    ) {
        self.id = id
        self.requestFields = requestFields
        self.response = response
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
        self.isPinned = isPinned
    }
}
