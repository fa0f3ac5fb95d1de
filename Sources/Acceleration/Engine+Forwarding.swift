import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport
import Wire

/// Answers from the network.
extension Engine {
    /// Sends a GET or HEAD request on, with what the cache asks on top of it.
    /// - Returns: `nil` when the store has changed since `endCount` was read and is to be looked at again.
    func forward(
        _ lookup: Lookup, reason: CacheStatus.ForwardReason,
        asking inquiry: Inquiry = .none, options: RequestOptions, endCount: UInt64?
    ) async throws -> Hop? {
        guard lookup.request.method == .get, context.store != nil else {
            return try await forwardAlone(lookup, reason: reason, asking: inquiry, options: options)
        }
        let plan = plan(lookup, asking: inquiry, options: options)
        let key = FlightTable.Key(plan.transportRequest.request, options)
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
                lookup, reason: .stale, asking: Inquiry(entries: [entry], fields: fields), options: options,
                endCount: nil)
            if case .stream(let body) = hop?.body { await drain(body, upTo: .max) }
        }
    }

    // MARK: - Flights

    private func plan(_ lookup: Lookup, asking inquiry: Inquiry, options: RequestOptions) -> Flight.Plan {
        Flight.Plan(
            transportRequest: transportRequest(inquiry.applied(to: lookup.request), options: options),
            request: lookup.request, inquiry: inquiry, entries: lookup.entries, stored: lookup.stored)
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
            if isAboutNothingAsked(head, plan, lookup) { return try await flyPlain(lookup, reason, options) }
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
        case .unusable: return try await flyPlain(lookup, reason, options)
        case .alone: return try await fly(Flight.withFirstMember(), nil, plan, lookup, reason, options)
        }
    }

    /// Sends the request on as if nothing were stored, alone.
    private func flyPlain(
        _ lookup: Lookup, _ reason: CacheStatus.ForwardReason, _ options: RequestOptions
    ) async throws -> Hop {
        var lookup = lookup
        (lookup.entries, lookup.stored) = ([], [])
        let plan = plan(lookup, asking: .none, options: options)
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
        case .revalidate, .complete, .forward, .refuse: false
        }
    }

    // MARK: - Without a flight

    /// Sends a request on that nobody shares and whose response is not stored.
    private func forwardAlone(
        _ lookup: Lookup, reason: CacheStatus.ForwardReason,
        asking inquiry: Inquiry, options: RequestOptions
    ) async throws -> Hop {
        let plan = plan(lookup, asking: inquiry, options: options)
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
        let head = FlightHead(answer, requestTime: requestTime, responseTime: context.timekeeper.now)
        if let entry = context.confirmedEntry(by: head, for: plan) {
            await drain(answer.body, upTo: 0)
            if let hop = serveConfirmed(entry, by: head, for: lookup, reason: reason, isFirst: true) { return hop }
            return try await forwardAlone(lookup, reason: reason, asking: .none, options: options)
        }
        if var hop = serveInstead(ofServerError: head, for: lookup, reason: reason) {
            hop.metrics = head.metrics
            return hop
        }
        if isAboutNothingAsked(head, plan, lookup) {
            return try await forwardAlone(lookup, reason: reason, asking: .none, options: options)
        }
        if lookup.request.method == .head { noteHead(head, lookup) }
        return received(head, .stream(answer.body), isStored: false, isFirst: true, for: lookup, reason: reason)
    }

    /// Whether a response is a 304 to the cache's own question, but about nothing that is stored, nor about what the caller has.
    private func isAboutNothingAsked(_ head: FlightHead, _ plan: Flight.Plan, _ lookup: Lookup) -> Bool {
        head.response.status == 304 && !plan.inquiry.entries.isEmpty
            && !HTTPCache.answersOwnCondition(head.response, of: lookup.request)
    }

    private func serveInstead(
        ofServerError head: FlightHead, for lookup: Lookup, reason: CacheStatus.ForwardReason
    ) -> Hop? {
        guard (500...599).contains(head.response.status), !lookup.stored.isEmpty else { return nil }
        return serveInstead(of: .status(head.response.status), for: lookup, reason: reason)
    }

    /// What the response to a HEAD request says of the stored responses to GET that could have answered it (RFC 9111,
    /// section 4.3.5): those it selects are updated, the others are no longer to be trusted.
    private func noteHead(_ head: FlightHead, _ lookup: Lookup) {
        guard head.response.status == 200 else { return }
        var isContradicted = false
        let concerned = HTTPCache.concerned(by: lookup.request, stored: lookup.stored).map(\.id)
        for var entry in lookup.entries where concerned.contains(entry.id) {
            if HTTPCache.selects(head.response, entry.storedResponse) {
                context.update(&entry, with: head)
            } else {
                isContradicted = true
            }
        }
        if isContradicted { invalidate(lookup.request.url) }
    }

    /// Sends a request on that is none of the cache's business, but for what it invalidates (RFC 9111, section 4.4).
    func passThrough(_ request: HTTPRequest, body: RequestBody?, options: RequestOptions) async throws -> Hop {
        let sent = transportRequest(request, body: body, options: options)
        let requestTime = context.timekeeper.now
        let answer = try await context.transport.send(sent)
        for url in HTTPCache.invalidations(request: request, response: answer.response) { invalidate(url) }
        let head = FlightHead(answer, requestTime: requestTime, responseTime: context.timekeeper.now)
        var (body, isStored) = (answer.body, false)
        if !options.bypassesCache, mayKeep(head, for: request) {
            // What a later GET may be answered with (RFC 9110, section 9.3.3) goes the way of a GET's response from here on.
            let (flight, member) = Flight.withFirstMember()
            flight.start(Flight.Plan(transportRequest: sent, request: request), in: context, from: (answer, head))
            if case .response(_, let shared, let isShared) = try await flight.answer(for: member).answer {
                (body, isStored) = (shared, isShared)
            }
        }
        let status = CacheStatus(
            forwardReason: options.bypassesCache ? .bypass : .method, forwardStatus: head.response.status,
            isStored: isStored ? true : nil
        ).description
        var response = head.presented
        response.fields.append(.cacheStatus, status)
        return Hop(
            response: response, body: .stream(body), outcome: .passedThrough, cacheStatus: status,
            decision: Self.passingDecision(for: request, options: options), metrics: answer.metrics,
            interim: answer.interim, trailers: answer.trailers)
    }

    private func mayKeep(_ head: FlightHead, for request: HTTPRequest) -> Bool {
        context.store != nil && request.method == .post
            && HTTPCache.mayStore(
                request: request, response: head.response, policy: context.policy, now: head.responseTime
            ).mayStore
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
        var response = head.presented
        response.fields.append(.cacheStatus, status)
        let isOutsideCache = CacheControl(lookup.request.fields).noStore || CacheControl(head.response.fields).noStore
        return Hop(
            response: response, body: body, outcome: isOutsideCache ? .passedThrough : .miss, cacheStatus: status,
            decision: lookup.decision, metrics: isFirst ? head.metrics : nil, interim: head.interim,
            trailers: head.trailers)
    }
}
