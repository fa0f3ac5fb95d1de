import Foundation
import HTTPCaching
import HTTPModel
import TestSupport

let start = CachingCase.start

/// A request of the tests' one URL.
func request(_ fields: HTTPFields = [:], method: HTTPMethod = .get) -> HTTPRequest {
    HTTPRequest(method: method, url: HTTPURL("http://example.com/a")!, fields: fields)
}

/// A stored response that arrived at the start.
func entry(
    _ fields: HTTPFields, id: Int64 = 1, status: Int = 200, selecting: HTTPFields = [:], delay: Double = 0,
    isPinned: Bool = false, isInvalidated: Bool = false
) -> StoredResponse {
    StoredResponse(
        id: id, requestFields: selecting, response: HTTPResponse(status: status, fields: fields),
        requestTime: start - delay, responseTime: start, isInvalidated: isInvalidated, isPinned: isPinned)
}

/// The decision so many seconds after the start.
func decide(
    at seconds: Double, _ fields: HTTPFields = [:], method: HTTPMethod = .get, stored: [StoredResponse],
    policy: CachingPolicy = CachingPolicy()
) -> CacheDecision {
    HTTPCache.decide(now: start + seconds, request: request(fields, method: method), stored: stored, policy: policy)
}

/// What a served entry looks like to the caller so many seconds after the start.
func present(
    _ stored: StoredResponse, at seconds: Double = 0, _ fields: HTTPFields = [:], method: HTTPMethod = .get,
    length: Int64? = nil
) -> HTTPResponse {
    HTTPCache.presented(
        stored, for: request(fields, method: method), now: start + seconds, status: CacheStatus(isHit: true),
        bodyByteCount: length)
}
