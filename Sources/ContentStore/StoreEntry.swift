public import Cryptography
public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One stored response with all that is known of it.
public struct StoreEntry: Sendable, Hashable {
    public var id: Int64
    /// The URL of the request (always a GET).
    public var url: HTTPURL
    public var requestFields: HTTPFields
    public var response: HTTPResponse
    public var requestTime: Date
    public var responseTime: Date
    public var isInvalidated: Bool
    /// The segment versions that hold the entry, such as "news@42"; empty for opportunistic entries.
    public var holders: Set<String>
    public var bodyDigest: SHA256Digest
    public var bodyByteCount: Int64
    public var lastUsed: Date
    /// Written for a segment version that is not active yet: not found by ``ContentStore/entries(for:)``.
    public var isStaged: Bool
    /// The body was in the index, not in a file, when the entry was read.
    var isInline: Bool

    public var isPinned: Bool { !holders.isEmpty }
    /// Only a part of the body is there (206), which answers for no whole.
    public var isPart: Bool { response.status == 206 }

    init(
        id: Int64, url: HTTPURL, requestFields: HTTPFields, response: HTTPResponse, requestTime: Date,
        responseTime: Date, isInvalidated: Bool, holders: Set<String>, bodyDigest: SHA256Digest,
        bodyByteCount: Int64, lastUsed: Date, isStaged: Bool, isInline: Bool
    ) {
        self.id = id
        self.url = url
        self.requestFields = requestFields
        self.response = response
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
        self.holders = holders
        self.bodyDigest = bodyDigest
        self.bodyByteCount = bodyByteCount
        self.lastUsed = lastUsed
        self.isStaged = isStaged
        self.isInline = isInline
    }
}
