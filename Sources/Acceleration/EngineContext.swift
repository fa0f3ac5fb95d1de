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
