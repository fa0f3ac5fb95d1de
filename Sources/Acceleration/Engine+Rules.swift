import HTTPCaching
import HTTPModel
import Transport

/// Small questions about requests, responses and failures.
extension Engine {
    private static let conditionalNames: [HTTPFieldName] = [
        .ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange,
    ]

    /// Whether the caller's own request is conditional (RFC 9110, section 13.1).
    static func isConditional(_ request: HTTPRequest) -> Bool {
        request.fields.contains { conditionalNames.contains($0.name) }
    }

    /// Whether identical requests may share the answer to this one.
    static func isShareable(_ request: HTTPRequest) -> Bool {
        !request.fields.contains(.range) && !isConditional(request)
    }

    static func passingDecision(for request: HTTPRequest, options: RequestOptions) -> CacheDecision {
        if options.bypassesCache {
            return CacheDecision(action: .forward(.bypass), reasons: [.init("the caller asked for no cache at all")])
        }
        let isRead = request.method == .get || request.method == .head
        let text = isRead ? "requests with a body are not cached" : "\(request.method) requests are not cached"
        return CacheDecision(action: .forward(.method), reasons: [.init(text, "RFC 9111 §3")])
    }

    /// What a failure of the transport means for the cache; `nil` when nothing stored may stand in: the caller has gone, or
    /// somebody else may have answered in the origin's name.
    static func failure(of error: any Error) -> ForwardFailure? {
        guard let error = error as? TransportError else { return nil }
        if error.code.isUnreachable { return .unreachable }
        return switch error.code {
        case .malformedResponse, .contentDecodingFailed: .status(502)
        default: nil
        }
    }
}
