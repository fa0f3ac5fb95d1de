import ContentStore
import HTTPCaching
import HTTPModel
import Primitives
import Transport

/// What every part of the engine works with.
struct EngineContext: Sendable {
    var store: ContentStore?
    var transport: any HTTPTransport
    var policy: CachingPolicy
    var timekeeper: any Timekeeping
    var onFault: @Sendable (StoreError) -> Void

    /// Tells of a failure of the disk, which no request fails for. A body too large for its budget is none.
    func report(_ error: StoreError) {
        if error.code != .overBudget { onFault(error) }
    }

    /// Gives an entry the fields and times of a validation, in the store and in the value.
    func update(_ entry: inout StoreEntry, with head: FlightHead) {
        entry.response.fields = HTTPCache.updatedFields(of: entry.response, with: head.response)
        entry.requestTime = head.requestTime
        entry.responseTime = head.responseTime
        entry.isInvalidated = false
        do throws(StoreError) {
            try store?.update(
                entryID: entry.id, fields: entry.response.fields, requestTime: head.requestTime,
                responseTime: head.responseTime)
        } catch {
            report(error)
        }
    }
}

extension EngineContext {
    /// The entry that a 304 confirms, with its fields and times (RFC 9111, section 4.3.4); `nil` when it is about none of those
    /// that were asked about. Entries of the same bytes are confirmed with it.
    func confirmedEntry(by head: FlightHead, for plan: Flight.Plan) -> StoreEntry? {
        let asked = plan.inquiry.entries
        guard
            let confirmed = HTTPCache.confirmed(
                by: head.response, among: asked.map(\.storedResponse),
                condition: plan.transportRequest.request.fields[.ifNoneMatch]),
            var entry = asked.first(where: { $0.id == confirmed.id })
        else { return nil }
        let others = HTTPCache.alsoConfirmed(by: head.response, with: confirmed, stored: plan.stored).map(\.id)
        for var other in plan.entries where others.contains(other.id) { update(&other, with: head) }
        update(&entry, with: head)
        return entry
    }
}

extension StoreEntry {
    /// What a decision needs of the entry.
    var storedResponse: StoredResponse {
        StoredResponse(
            id: id, requestFields: requestFields, response: response, requestTime: requestTime,
            responseTime: responseTime, isInvalidated: isInvalidated, isPinned: isPinned)
    }

    /// The names of the segments whose versions hold the entry, in order.
    var segments: [String] {
        if holders.isEmpty { return [] }
        let names = holders.map { holder in holder.lastIndex(of: "@").map { String(holder[..<$0]) } ?? holder }
        return names.count == 1 ? names : Set(names).sorted()
    }
}

/// Reads the rest of a body that nobody wants, so that its connection can be used again; lets go of it after the limit.
func drain(_ body: ByteStream, upTo byteCountMax: Int) async {
    var iterator = body.makeAsyncIterator()
    var byteCount = 0
    // An error ends the reading like an end would: these bytes are of no interest.
    while byteCount <= byteCountMax, let chunk = try? await iterator.next() { byteCount += chunk.count }
}
