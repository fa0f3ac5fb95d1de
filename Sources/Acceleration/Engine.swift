import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Synchronization
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers one request, without following redirects: asks the cache's rules what to do, and does it.
final class Engine: Sendable {
    let context: EngineContext
    let flights = FlightTable()
    let revalidations = Revalidations()
    /// Tells engines apart that share a store.
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    private static let count = Atomic<Int>(0)

    init(_ context: EngineContext) { self.context = context }

    /// What the store knows of a request, and what the rules make of it.
    struct Lookup {
        var request: HTTPRequest
        var now: Date
        /// Where the entries come from; `nil` without a store.
        var ready: ReadyEntries?
        var entries: [StoreEntry]
        var stored: [StoredResponse]
        var decision: CacheDecision

        func entry(_ id: Int64) -> StoreEntry? { entries.first { $0.id == id } }
    }

    /// Answers a request.
    func answer(_ asked: HTTPRequest, body: RequestBody?, options: RequestOptions) async throws -> Hop {
        let request = Self.prepared(asked, options)
        guard usesCache(request, body: body, options: options) else {
            return try await passThrough(request, body: body, options: options)
        }
        // A flight that ends between the look at the store and the boarding may have stored the answer, so another look is
        // taken; after two the request goes out all the same.
        var looksLeft = 2
        while true {
            let endCount = looksLeft > 0 ? flights.endCount : nil
            looksLeft -= 1
            let lookup = lookUp(request, options)
            if let hop = try await act(on: lookup, options: options, endCount: endCount) {
                if case .serve(let id) = lookup.decision.action, let entry = lookup.entry(id) {
                    remember(hop, of: entry, for: asked, options: options, lookup)
                }
                return hop
            }
        }
    }

    /// Answers a request if the store alone can.
    func answerFromStore(_ asked: HTTPRequest, options: RequestOptions, now: Date) -> Hop? {
        guard usesCache(asked, body: nil, options: options) else { return nil }
        if let hop = recall(asked, options: options, now: now) { return hop }
        let lookup = lookUp(Self.prepared(asked, options), options)
        switch lookup.decision.action {
        case .serve(let id):
            guard let entry = lookup.entry(id), let hop = serve(entry, for: lookup) else { return nil }
            remember(hop, of: entry, for: asked, options: options, lookup)
            return hop
        case .serveAndRevalidate(let id, let fields):
            guard let entry = lookup.entry(id), let hop = serve(entry, for: lookup, isStale: true) else { return nil }
            revalidateBehind(entry, lookup, fields, options: options)
            return hop
        case .revalidate, .complete, .forward, .refuse: return nil
        }
    }

    /// What would be done with a request.
    func explain(_ asked: HTTPRequest, options: RequestOptions) -> CacheDecision {
        let request = Self.prepared(asked, options)
        guard usesCache(request, body: nil, options: options) else {
            return Self.passingDecision(for: request, options: options)
        }
        return lookUp(request, options).decision
    }

    /// What would answer a request if the origin could not be reached.
    func explainUnreachable(_ asked: HTTPRequest) -> CacheDecision? {
        let lookup = lookUp(Self.prepared(asked, RequestOptions()), RequestOptions())
        return HTTPCache.fallback(
            after: .unreachable, now: lookup.now, request: lookup.request, stored: lookup.stored,
            policy: context.policy)
    }

    /// Carries a decision out.
    /// - Returns: `nil` when the store has changed meanwhile and is to be looked at again.
    private func act(on lookup: Lookup, options: RequestOptions, endCount: UInt64?) async throws -> Hop? {
        switch lookup.decision.action {
        case .serve(let id):
            if let entry = lookup.entry(id), let hop = serve(entry, for: lookup) { return hop }
            return try await forward(lookup, reason: .miss, options: options, endCount: endCount)
        case .serveAndRevalidate(let id, let fields):
            if let entry = lookup.entry(id), let hop = serve(entry, for: lookup, isStale: true) {
                revalidateBehind(entry, lookup, fields, options: options)
                return hop
            }
            return try await forward(lookup, reason: .miss, options: options, endCount: endCount)
        case .revalidate, .complete, .forward:
            return try await forward(
                lookup, reason: lookup.decision.forwardReason ?? .miss, asking: lookup.inquiry, options: options,
                endCount: endCount)
        case .refuse: return refusal(lookup)
        }
    }

    // MARK: - The request

    /// The request with the content codings that the transport decodes; a range is of the body as it is, and stays so.
    static func prepared(_ request: HTTPRequest, _ options: RequestOptions) -> HTTPRequest {
        guard !options.isProxied, !request.fields.contains(.acceptEncoding), !request.fields.contains(.range) else {
            return request
        }
        var request = request
        request.fields.append(.acceptEncoding, "gzip, br, zstd")
        return request
    }

    private func usesCache(_ request: HTTPRequest, body: RequestBody?, options: RequestOptions) -> Bool {
        (request.method == .get || request.method == .head) && body == nil && !options.bypassesCache
    }

    /// What the store has for a request. A body that was stored in its content coding, for a proxy's client, is nothing for
    /// callers who have theirs decoded.
    func lookUp(_ request: HTTPRequest, _ options: RequestOptions) -> Lookup {
        var ready: ReadyEntries?
        do throws(StoreError) {
            ready = try context.store?.ready(for: request.url)
        } catch {
            context.report(error)
        }
        var entries = ready?.entries ?? []
        if !options.isProxied { entries.removeAll { Self.wouldBeDecoded($0.response) } }
        let now = context.timekeeper.now
        let stored = entries.map(\.storedResponse)
        return Lookup(
            request: request, now: now, ready: ready, entries: entries, stored: stored,
            decision: HTTPCache.decide(now: now, request: request, stored: stored, policy: context.policy))
    }

    /// Whether the transport would have taken a content coding off a body; one that it does not know stays for the caller.
    private static func wouldBeDecoded(_ response: HTTPResponse) -> Bool {
        guard let codings = response.fields[.contentEncoding] else { return false }
        return codings.lowercased().split(separator: ",").contains { coding in
            ["gzip", "x-gzip", "deflate", "br", "zstd"].contains(coding.trimmingPrefix(" ").prefix { $0 != " " })
        }
    }

    func transportRequest(_ request: HTTPRequest, body: RequestBody? = nil, options: RequestOptions) -> TransportRequest
    {
        var transportRequest = TransportRequest(request, body: body)
        transportRequest.originalRequest = options.originalRequest
        transportRequest.idleTimeout = options.idleTimeout
        transportRequest.totalTimeout = options.totalTimeout
        // A part of an encoded body cannot be decoded by itself.
        transportRequest.decodesContent = !options.isProxied && !request.fields.contains(.range)
        transportRequest.addsFields = !options.isProxied
        return transportRequest
    }
}
