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

/// Fetches for a flight: sends the request, decides what its head means, and moves the body into the spool.
struct FlightPump {
    let flight: Flight
    let plan: Flight.Plan
    let context: EngineContext

    /// Runs the fetch to its end; every end is told to the flight.
    /// - Parameter answer: what has come already; nothing is sent then.
    func run(from answer: (TransportResponse, FlightHead)? = nil) async {
        do {
            let (answer, head) = if let answer { answer } else { try await send() }
            try await take(answer.body, head)
        } catch {
            flight.noteFailure(error)
        }
    }

    private func send() async throws -> (TransportResponse, FlightHead) {
        let requestTime = context.timekeeper.now
        let answer = try await context.transport.send(plan.transportRequest)
        return (answer, FlightHead(answer, requestTime: requestTime, responseTime: context.timekeeper.now))
    }

    private func take(_ body: ByteStream, _ head: FlightHead) async throws {
        if let entry = context.confirmedEntry(by: head, for: plan) {
            await drain(body, upTo: 0)
            return flight.settle(.confirmed(head, entry))
        }
        if standsInForOrigin(head.response.status) { return flight.settle(.originFailed(head)) }
        var (body, head) = (body, head)
        if let part = plan.inquiry.part, [206, 416].contains(head.response.status) {
            guard let whole = completed(part, by: head) else { return flight.settle(.unusable) }
            head.response = whole.response
            body = ByteStream(JoinedSource(whole.stored.stream(), body))
        }
        guard let writer = writer(for: head) else { return flight.settle(.live(head, body)) }
        flight.settle(.spooled(head), writer: writer)
        try await pump(body, into: writer, head)
    }

    // MARK: - The head

    private func standsInForOrigin(_ status: Int) -> Bool {
        guard (500...599).contains(status), !plan.stored.isEmpty else { return false }
        return HTTPCache.fallback(
            after: .status(status), now: context.timekeeper.now, request: plan.request, stored: plan.stored,
            policy: context.policy) != nil
    }

    /// The whole that a stored part and the response to the request for its rest make; `nil` when they do not fit.
    private func completed(_ part: StoreEntry, by head: FlightHead) -> (response: HTTPResponse, stored: StoredBody)? {
        guard let old = HTTPCache.part(of: part.response), let new = HTTPCache.part(of: head.response),
            new.range.lowerBound == old.range.upperBound,
            let response = HTTPCache.combined(part.response, with: head.response), response.status == 200
        else { return nil }
        do throws(StoreError) {
            guard let store = context.store else { return nil }
            return (response, try store.body(of: part))
        } catch {
            context.report(error)
            return nil
        }
    }

    private func writer(for head: FlightHead) -> BodyWriter? {
        guard let store = context.store else { return nil }
        let decision = HTTPCache.mayStore(
            request: plan.request, response: head.response, policy: context.policy, now: head.responseTime)
        guard decision.mayStore else { return nil }
        let declared = head.decodedFrom == nil ? HTTPCache.promisedByteCount(of: head.response) : nil
        do throws(StoreError) {
            return try store.beginBody(expectedByteCount: declared)
        } catch {
            context.report(error)
            return nil
        }
    }

    // MARK: - The body

    private func pump(_ body: ByteStream, into writer: BodyWriter, _ head: FlightHead) async throws {
        var isOnDisk = true
        let keeper = ResponseKeeper(request: plan.request, context: context)
        do {
            var iterator = body.makeAsyncIterator()
            while let chunk = try await iterator.next() {
                if isOnDisk {
                    do throws(StoreError) {
                        try writer.append(chunk)
                    } catch {
                        isOnDisk = false
                        context.report(error)
                    }
                }
                try await flight.publish(chunk, isOnDisk: isOnDisk)
            }
        } catch let error as TransportError {
            if isOnDisk { keeper.keepBrokenOff(writer, head) }
            throw error
        }
        guard flight.becomeWhole() else { throw CancellationError() }
        if isOnDisk { keeper.keep(writer, head) }
    }
}
