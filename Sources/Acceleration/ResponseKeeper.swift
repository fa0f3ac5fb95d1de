import ContentStore
import HTTPCaching
import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts responses that have arrived into the store: wholes as they are, parts with what is there of the same representation.
struct ResponseKeeper {
    private static let copiedByteCount = 128 << 10

    let request: HTTPRequest
    let context: EngineContext

    /// Stores a response whose body has ended. A failure of the disk is reported and fails nothing.
    func keep(_ writer: BodyWriter, _ head: FlightHead) {
        // A body that ended before it had all its head promised is not whole (RFC 9111, section 3.3).
        if head.decodedFrom == nil, let promised = HTTPCache.promisedByteCount(of: head.response),
            promised != writer.byteCount
        {
            return keepBrokenOff(writer, head)
        }
        reporting { store throws(StoreError) in
            let response = head.storable
            if response.status == 206 {
                try keepPart(response, writer, head, in: store)
            } else {
                try commit(response, writer, head, in: store)
            }
        }
    }

    /// Stores what came before a body broke off, when the rest can be fetched later (RFC 9111, section 3.3).
    func keepBrokenOff(_ writer: BodyWriter, _ head: FlightHead) {
        guard head.decodedFrom == nil, !head.response.fields.contains(.contentEncoding),
            let response = HTTPCache.brokenOff(head.storable, after: writer.byteCount)
        else { return }
        reporting { store throws(StoreError) in try keepPart(response, writer, head, in: store) }
    }

    private func reporting(_ operation: (ContentStore) throws(StoreError) -> Void) {
        guard let store = context.store else { return }
        do throws(StoreError) {
            try operation(store)
        } catch {
            context.report(error)
        }
    }

    /// Stores a part, but never in the place of a whole: a whole of the same representation takes its fields, any other stays.
    private func keepPart(
        _ response: HTTPResponse, _ writer: BodyWriter, _ head: FlightHead, in store: ContentStore
    ) throws(StoreError) {
        let entries = try store.entries(for: request.url)
        let suitable = HTTPCache.concerned(by: request, stored: entries.map(\.storedResponse)).map(\.id)
        let candidates = entries.filter { suitable.contains($0.id) }
        if var whole = candidates.first(where: { $0.response.status != 206 }) {
            if HTTPCache.isSameRepresentation(whole.response, response) { context.update(&whole, with: head) }
            return
        }
        for old in candidates {
            guard let combined = HTTPCache.combined(old.response, with: response) else { continue }
            let joined = try store.beginBody(expectedByteCount: HTTPCache.promisedByteCount(of: combined))
            try join(old, response, writer, into: joined, in: store)
            return try commit(combined, joined, head, in: store)
        }
        try commit(response, writer, head, in: store)
    }

    /// Writes the bytes of an older part and of a newer one in order, those that both have once.
    private func join(
        _ old: StoreEntry, _ response: HTTPResponse, _ new: BodyWriter, into joined: BodyWriter, in store: ContentStore
    ) throws(StoreError) {
        guard let oldRange = HTTPCache.part(of: old.response)?.range, let newRange = HTTPCache.part(of: response)?.range
        else { throw StoreError(.readFailed, "a stored part does not say which part it is") }
        let body = try store.body(of: old)
        let before = max(0, newRange.lowerBound - oldRange.lowerBound)
        try copy(0..<before, into: joined) { offset, count throws(StoreError) in
            try body.read(at: offset, byteCount: count)
        }
        try copy(0..<Int64(newRange.count), into: joined) { offset, count throws(StoreError) in
            try new.read(at: offset, byteCount: count)
        }
        let after = max(0, newRange.upperBound - oldRange.lowerBound)
        try copy(min(after, body.byteCount)..<body.byteCount, into: joined) { offset, count throws(StoreError) in
            try body.read(at: offset, byteCount: count)
        }
    }

    private func copy(
        _ range: Range<Int64>, into joined: BodyWriter, from read: (Int64, Int) throws(StoreError) -> Data
    ) throws(StoreError) {
        var offset = range.lowerBound
        while offset < range.upperBound {
            let data = try read(offset, Int(min(Int64(Self.copiedByteCount), range.upperBound - offset)))
            guard !data.isEmpty else { throw StoreError(.readFailed, "a stored part was cut short") }
            try joined.append(data)
            offset += Int64(data.count)
        }
    }

    private func commit(
        _ response: HTTPResponse, _ writer: BodyWriter, _ head: FlightHead, in store: ContentStore
    ) throws(StoreError) {
        _ = try writer.finish()
        try store.commit(
            EntryDraft(
                url: request.url, requestFields: HTTPCache.selectingFields(of: request, for: head.response),
                response: response, requestTime: head.requestTime, responseTime: head.responseTime),
            body: writer)
    }
}
