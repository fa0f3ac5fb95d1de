import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport
import Wire

/// Answers from the network.
extension Engine {
    /// Sends a GET or HEAD request on, with the fields that validate an entry when there is one to validate.
    /// - Returns: `nil` when the store has changed since `endCount` was read and is to be looked at again.
    func forward(
        _ lookup: Lookup, reason: CacheStatus.ForwardReason,
        validating: (entry: StoreEntry, fields: HTTPFields)? = nil, options: RequestOptions, endCount: UInt64?
    ) async throws -> Hop? {
        guard lookup.request.method == .get, context.store != nil else {
            return try await forwardAlone(lookup, reason: reason, validating: validating, options: options)
        }
        let plan = plan(lookup, validating: validating, options: options)
        let key = FlightTable.Key(url: plan.request.url, fields: plan.transportRequest.request.fields, options: options)
        guard Self.isShareable(lookup.request), mayJoin(key, lookup) else {
            return try await fly(Flight.withFirstMember(), nil, plan, lookup, reason, options)
        }
        switch flights.board(key, endCount: endCount) {
        case .lookAgain: return nil
        case .joined(let flight, let member):
            return try await land((flight, member), plan, lookup, reason, options)
        case .first(let flight, let member):
            return try await fly((flight, member), key, plan, lookup, reason, options)
        }
    }

    /// A validation behind an answer that has been given (RFC 5861, section 3): reads the new body into the store.
    func revalidateBehind(_ entry: StoreEntry, _ lookup: Lookup, _ fields: HTTPFields, options: RequestOptions) {
        revalidations.start(entry.url) { [weak self] in
            // The answer has been given: a failure leaves the entry as it is, and the next request tries again.
            let hop = try? await self?.forward(
                lookup, reason: .stale, validating: (entry, fields), options: options, endCount: nil)
            if case .stream(let body) = hop?.body { await drain(body, upTo: .max) }
        }
    }

    // MARK: - Flights

    private func plan(
        _ lookup: Lookup, validating: (entry: StoreEntry, fields: HTTPFields)?, options: RequestOptions
    ) -> Flight.Plan {
        var sent = lookup.request
        for field in validating?.fields ?? [:] { sent.fields[field.name] = field.value }
        return Flight.Plan(
            transportRequest: transportRequest(sent, options: options), request: lookup.request,
            validated: validating?.entry, stored: lookup.stored)
    }

    /// Starts a flight and waits for what it brings.
    private func fly(
        _ place: (flight: Flight, member: Int), _ key: FlightTable.Key?, _ plan: Flight.Plan, _ lookup: Lookup,
        _ reason: CacheStatus.ForwardReason, _ options: RequestOptions
    ) async throws -> Hop {
        let (flight, _) = place
        flight.start(plan, in: context) { [flights] in
            if let key { flights.remove(flight, key: key) }
        }
        return try await land(place, plan, lookup, reason, options)
    }

    /// Waits for a flight's head and makes the answer from it.
    private func land(
        _ place: (flight: Flight, member: Int), _ plan: Flight.Plan, _ lookup: Lookup,
        _ reason: CacheStatus.ForwardReason, _ options: RequestOptions
    ) async throws -> Hop {
        let answer: FlightAnswer
        let isFirst: Bool
        do {
            (answer, isFirst) = try await place.flight.answer(for: place.member)
        } catch {
            guard let failure = Self.failure(of: error),
                let hop = serveInstead(of: failure, for: lookup, reason: reason)
            else { throw error }
            return hop
        }
        switch answer {
        case .response(let head, let body, let isStored):
            if head.response.status == 304, plan.validated != nil {
                return try await flyPlain(lookup, reason, options)  // it is not about the entry that was asked about
            }
            return received(head, .stream(body), isStored: isStored, isFirst: isFirst, for: lookup, reason: reason)
        case .confirmed(let head, let entry):
            let hop = serveConfirmed(entry, by: head, for: lookup, reason: reason, isFirst: isFirst)
            if let hop { return hop }
            return try await flyPlain(lookup, reason, options)  // its body has gone from the disk
        case .originFailed(let head):
            var hop = serveInstead(of: .status(head.response.status), for: lookup, reason: reason)
            if isFirst { hop?.metrics = head.metrics }
            if let hop { return hop }
            return try await flyPlain(lookup, reason, options)
        case .alone: return try await fly(Flight.withFirstMember(), nil, plan, lookup, reason, options)
        }
    }

    /// Sends the request on as if nothing were stored, alone.
    private func flyPlain(
        _ lookup: Lookup, _ reason: CacheStatus.ForwardReason, _ options: RequestOptions
    ) async throws -> Hop {
        var lookup = lookup
        (lookup.entries, lookup.stored) = ([], [])
        let plan = plan(lookup, validating: nil, options: options)
        return try await fly(Flight.withFirstMember(), nil, plan, lookup, reason, options)
    }

    /// Whether a request that comes now may join a flight: before its head always, after it when the rules let the response
    /// answer the request from the store.
    private func mayJoin(_ key: FlightTable.Key, _ lookup: Lookup) -> Bool {
        guard let head = flights.flight(for: key)?.sharedHead else { return true }
        let pending = StoredResponse(
            id: -1, requestFields: HTTPCache.selectingFields(of: lookup.request, for: head.response),
            response: head.response, requestTime: head.requestTime, responseTime: head.responseTime)
        let decision = HTTPCache.decide(
            now: context.timekeeper.now, request: lookup.request, stored: [pending], policy: context.policy)
        return switch decision.action {
        case .serve, .serveAndRevalidate: true
        case .revalidate, .forward, .refuse: false
        }
    }

    // MARK: - Without a flight

    /// Sends a request on that nobody shares and whose response is not stored.
    private func forwardAlone(
        _ lookup: Lookup, reason: CacheStatus.ForwardReason,
        validating: (entry: StoreEntry, fields: HTTPFields)?, options: RequestOptions
    ) async throws -> Hop {
        let plan = plan(lookup, validating: validating, options: options)
        let requestTime = context.timekeeper.now
        let answer: TransportResponse
        do {
            answer = try await context.transport.send(plan.transportRequest)
        } catch {
            guard let failure = Self.failure(of: error),
                let hop = serveInstead(of: failure, for: lookup, reason: reason)
            else { throw error }
            return hop
        }
        let head = FlightHead(
            response: answer.response, requestTime: requestTime, responseTime: context.timekeeper.now,
            metrics: answer.metrics, interim: answer.interim, trailers: answer.trailers)
        if var hop = serveInstead(ofServerError: head, for: lookup, reason: reason) {
            hop.metrics = head.metrics
            return hop
        }
        if lookup.request.method == .head, let hop = await noteHead(head, answer.body, plan, lookup, reason) {
            return hop
        }
        return received(head, .stream(answer.body), isStored: false, isFirst: true, for: lookup, reason: reason)
    }

    private func serveInstead(
        ofServerError head: FlightHead, for lookup: Lookup, reason: CacheStatus.ForwardReason
    ) -> Hop? {
        guard (500...599).contains(head.response.status), !lookup.stored.isEmpty else { return nil }
        return serveInstead(of: .status(head.response.status), for: lookup, reason: reason)
    }

    /// What the response to a HEAD request says of the stored responses to GET (RFC 9111, section 4.3.5): those it selects are
    /// updated, the others are no longer to be trusted.
    private func noteHead(
        _ head: FlightHead, _ body: ByteStream, _ plan: Flight.Plan, _ lookup: Lookup,
        _ reason: CacheStatus.ForwardReason
    ) async -> Hop? {
        guard head.response.status == 200 || head.response.status == 304 else { return nil }
        var confirmed: StoreEntry?
        var isContradicted = false
        for var entry in lookup.entries {
            if HTTPCache.selects(head.response, entry.storedResponse) {
                context.update(&entry, with: head)
                if entry.id == plan.validated?.id { confirmed = entry }
            } else {
                isContradicted = true
            }
        }
        if isContradicted, head.response.status == 200 { invalidate(lookup.request.url) }
        guard head.response.status == 304, let confirmed else { return nil }
        await drain(body, upTo: 0)
        return serveConfirmed(confirmed, by: head, for: lookup, reason: reason, isFirst: true)
    }

    /// Sends a request on that is none of the cache's business, but for what it invalidates (RFC 9111, section 4.4).
    func passThrough(_ request: HTTPRequest, body: RequestBody?, options: RequestOptions) async throws -> Hop {
        let answer = try await context.transport.send(transportRequest(request, body: body, options: options))
        for url in HTTPCache.invalidations(request: request, response: answer.response) { invalidate(url) }
        let status = CacheStatus(
            forwardReason: options.bypassesCache ? .bypass : .method, forwardStatus: answer.response.status
        ).description
        var response = answer.response
        response.fields.append(.cacheStatus, status)
        return Hop(
            response: response, body: .stream(answer.body), outcome: .passedThrough, cacheStatus: status,
            decision: Self.passingDecision(for: request, options: options), metrics: answer.metrics,
            interim: answer.interim, trailers: answer.trailers)
    }

    private func invalidate(_ url: HTTPURL) {
        do throws(StoreError) {
            try context.store?.invalidate(url)
        } catch {
            context.report(error)
        }
    }

    // MARK: - The response

    private func received(
        _ head: FlightHead, _ body: Hop.Body, isStored: Bool, isFirst: Bool, for lookup: Lookup,
        reason: CacheStatus.ForwardReason
    ) -> Hop {
        let status = CacheStatus(
            forwardReason: reason, forwardStatus: head.response.status, isStored: isStored ? true : nil,
            isCollapsed: isFirst ? nil : true
        ).description
        var response = head.response
        response.fields.append(.cacheStatus, status)
        let isOutsideCache = CacheControl(lookup.request.fields).noStore || CacheControl(head.response.fields).noStore
        return Hop(
            response: response, body: body, outcome: isOutsideCache ? .passedThrough : .miss, cacheStatus: status,
            decision: lookup.decision, metrics: isFirst ? head.metrics : nil, interim: head.interim,
            trailers: head.trailers)
    }
}
