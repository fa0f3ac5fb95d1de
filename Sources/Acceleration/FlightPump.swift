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
    func run() async {
        do { try await fetch() } catch { flight.noteFailure(error) }
    }

    private func fetch() async throws {
        let requestTime = context.timekeeper.now
        let answer = try await context.transport.send(plan.transportRequest)
        let head = FlightHead(
            response: answer.response, requestTime: requestTime, responseTime: context.timekeeper.now,
            metrics: answer.metrics, interim: answer.interim, trailers: answer.trailers)
        if let entry = confirmedEntry(by: head) {
            await drain(answer.body, upTo: 0)
            return flight.settle(.confirmed(head, entry))
        }
        if standsInForOrigin(head.response.status) { return flight.settle(.originFailed(head)) }
        guard let writer = writer(for: head, isDecoded: answer.decodedFrom != nil) else {
            return flight.settle(.live(head, answer.body))
        }
        flight.settle(.spooled(head), writer: writer)
        try await pump(answer.body, into: writer, head)
    }

    // MARK: - The head

    /// The validated entry with the fields and times of a 304 that is about it (RFC 9111, section 4.3.4).
    private func confirmedEntry(by head: FlightHead) -> StoreEntry? {
        guard head.response.status == 304, var entry = plan.validated,
            HTTPCache.selects(head.response, entry.storedResponse)
        else { return nil }
        context.update(&entry, with: head)
        return entry
    }

    private func standsInForOrigin(_ status: Int) -> Bool {
        guard (500...599).contains(status), !plan.stored.isEmpty else { return false }
        return HTTPCache.fallback(
            after: .status(status), now: context.timekeeper.now, request: plan.request, stored: plan.stored,
            policy: context.policy) != nil
    }

    private func writer(for head: FlightHead, isDecoded: Bool) -> BodyWriter? {
        guard let store = context.store else { return nil }
        let decision = HTTPCache.mayStore(
            request: plan.request, response: head.response, policy: context.policy, now: head.responseTime)
        guard decision.mayStore else { return nil }
        let declared = isDecoded ? nil : head.response.fields[.contentLength].flatMap { Int64($0) }
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
        guard flight.becomeWhole() else { throw CancellationError() }
        if isOnDisk { commit(writer, head) }
    }

    private func commit(_ writer: BodyWriter, _ head: FlightHead) {
        let draft = EntryDraft(
            url: plan.request.url,
            requestFields: HTTPCache.selectingFields(of: plan.request, for: head.response),
            response: HTTPResponse(
                status: head.response.status, fields: HTTPCache.storableFields(of: head.response)),
            requestTime: head.requestTime, responseTime: head.responseTime)
        do throws(StoreError) {
            _ = try writer.finish()
            try context.store?.commit(draft, body: writer)
        } catch {
            context.report(error)
        }
    }
}
