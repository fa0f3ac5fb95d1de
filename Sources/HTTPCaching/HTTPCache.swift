public import HTTPModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The knobs of the cache that are not in any message.
public struct CachingPolicy: Sendable, Hashable {
    /// The share of a response's age at arrival that serves as its lifetime when nothing explicit is given
    /// (RFC 9111, section 4.2.2); 0 switches heuristics off.
    public var heuristicFraction: Double = 0.1
    /// The longest heuristic lifetime in seconds.
    public var heuristicLifetimeSecondsMax: Int = 86_400
    /// Pinned entries answer, stale or not, when the origin cannot be reached.
    public var servesPinnedWhenUnreachable = true

    /// The defaults.
    public init() {}
}

/// The rules of a private HTTP cache (RFC 9111), as pure functions: data in, decision with reasons out.
public enum HTTPCache {
    /// Decides how a request is answered.
    /// - Parameters:
    ///   - now: the current date.
    ///   - request: the request as the app means it, with the engine's `Accept-Encoding`.
    ///   - stored: every entry of the request's URL (method GET), in any order.
    ///   - policy: the knobs.
    public static func decide(
        now: Date, request: HTTPRequest, stored: [StoredResponse], policy: CachingPolicy
    ) -> CacheDecision { fatalError("stub") }

    /// Decides whether a response may be stored (RFC 9111, section 3).
    public static func mayStore(
        request: HTTPRequest, response: HTTPResponse, policy: CachingPolicy, now: Date
    ) -> StorageDecision { fatalError("stub") }

    /// Whether a stored entry may answer after all because the origin failed (RFC 5861, section 4; RFC 9111, section 4.2.4;
    /// pinned content); `nil` when it may not. The entry is chosen from `stored` as in `decide`.
    public static func fallback(
        after failure: ForwardFailure, now: Date, request: HTTPRequest, stored: [StoredResponse], policy: CachingPolicy
    ) -> CacheDecision? { fatalError("stub") }

    /// The fields of a stored response after a 304 (or a HEAD response) has updated it (RFC 9111, section 3.2).
    public static func updatedFields(of stored: HTTPResponse, with fresh: HTTPResponse) -> HTTPFields {
        fatalError("stub")
    }

    /// Whether a 304 or a HEAD response is about this stored response (RFC 9111, section 4.3.4).
    public static func selects(_ validation: HTTPResponse, _ stored: StoredResponse) -> Bool { fatalError("stub") }

    /// The fields of the request that the store must keep for variant choice: those that the response's `Vary` nominates.
    public static func selectingFields(of request: HTTPRequest, for response: HTTPResponse) -> HTTPFields {
        fatalError("stub")
    }

    /// The fields to store: hop-by-hop fields and those named by `Connection` or `no-cache="…"` removed (RFC 9111, section 3.1).
    public static func storableFields(of response: HTTPResponse) -> HTTPFields { fatalError("stub") }

    /// The URLs whose entries a response to an unsafe request invalidates (RFC 9111, section 4.4); empty for safe methods.
    public static func invalidations(request: HTTPRequest, response: HTTPResponse) -> [HTTPURL] { fatalError("stub") }

    /// Age of a response in whole seconds (RFC 9111, section 4.2.3).
    public static func age(of stored: StoredResponse, now: Date) -> Int { fatalError("stub") }

    /// The response to hand to the caller for a served entry: `Age` set, `Cache-Status` appended, caller's own conditional
    /// request answered with 304 (RFC 9111, section 4.3.2), `HEAD` answered with the fields alone.
    public static func presented(
        _ stored: StoredResponse, for request: HTTPRequest, now: Date, status: CacheStatus
    ) -> HTTPResponse { fatalError("stub") }
}
