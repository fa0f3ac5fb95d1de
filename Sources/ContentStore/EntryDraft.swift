public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A response about to be stored.
public struct EntryDraft: Sendable {
    public var url: HTTPURL
    /// The selecting fields of the request.
    public var requestFields: HTTPFields
    /// Status and fields as they shall be stored.
    public var response: HTTPResponse
    public var requestTime: Date
    public var responseTime: Date

    /// Creates a draft.
    public init(url: HTTPURL, requestFields: HTTPFields, response: HTTPResponse, requestTime: Date, responseTime: Date)
    {
        self.url = url
        self.requestFields = requestFields
        self.response = response
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}
