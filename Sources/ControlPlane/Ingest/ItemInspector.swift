import ControlModel
import Cryptography
import HTTPModel
import Primitives
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Fetches one item and records what a device would find. Bodies stream through the hash and are never held whole.
struct ItemInspector: Sendable {
    let transport: any HTTPTransport
    let timekeeper: any Timekeeping
    /// The longest body, and the setting to name when one is longer.
    let byteCountMax: Int64
    let limitName: String

    /// The item as found; failures are findings of the item.
    /// - Throws: `CancellationError` alone.
    func inspect(_ item: SegmentItem) async throws -> SegmentItem {
        var item = SegmentItem(
            appID: item.appID, segment: item.segment, url: item.url, priority: item.priority,
            isEssential: item.isEssential)
        item.checkedAt = timekeeper.now.wholeSecond
        guard let url = HTTPURL(item.url) else {
            item.settle([
                Finding(
                    .failure, "This is no absolute http or https URL. Correct it where it comes from, or remove it.")
            ])
            return item
        }
        do {
            let fetched = try await RedirectFollower(transport: transport).fetch(url)
            try await examine(fetched, asked: url, into: &item)
        } catch let error as RedirectError {
            item.settle([Finding(.failure, "The URL cannot be used: \(error). List the final URL instead.")])
        } catch let error as CancellationError {
            throw error
        } catch {
            item.byteCount = 0
            item.settle([Finding(.failure, Self.sentence(for: error))])
        }
        try Task.checkCancellation()
        return item
    }

    private func examine(_ fetched: RedirectFollower.Fetched, asked: HTTPURL, into item: inout SegmentItem) async throws
    {
        let response = fetched.response.response
        var findings = HeadReview(
            status: response.status, fields: response.fields, asked: asked, final: fetched.url, hops: fetched.hops,
            now: timekeeper.now
        ).findings
        item.eTag = Self.bounded(response.fields[.eTag])
        item.lastModified = Self.bounded(response.fields[.lastModified])
        item.contentType = Self.bounded(response.fields[.contentType])
        item.contentEncoding = fetched.response.decodedFrom
        if findings.contains(where: { $0.severity == .failure }) { return item.settle(findings) }
        if let length = response.fields[.contentLength].flatMap(Int64.init), length > byteCountMax {
            item.byteCount = length
            return item.settle(findings + [tooLong(atLeast: length)])
        }
        var hasher = SHA256Hasher()
        for try await chunk in fetched.response.body {
            item.byteCount += Int64(chunk.count)
            guard item.byteCount <= byteCountMax else {
                return item.settle(findings + [tooLong(atLeast: item.byteCount)])
            }
            hasher.update(chunk)
        }
        item.sha256 = hasher.finalize()
        if item.byteCount == 0 {
            findings.append(Finding(.warning, "The body is empty. Check whether the URL should be in the segment."))
        }
        item.settle(findings)
    }

    private func tooLong(atLeast byteCount: Int64) -> Finding {
        Finding(
            .failure,
            "The body has \(byteCount) bytes or more, over the limit of \(byteCountMax) (\(limitName)). "
                + "Raise the limit or remove the item.")
    }

    /// A field as it goes into the manifest; one of absurd length is left out.
    private static func bounded(_ value: String?) -> String? { value.flatMap { $0.utf8.count <= 1_024 ? $0 : nil } }

    private static func sentence(for error: any Error) -> String {
        switch (error as? TransportError)?.code {
        case .tlsFailed, .certificateRejected, .pinMismatch:
            "The server's certificate was not accepted: \(error). Devices would refuse it as well; mend it at the origin."
        case .contentDecodingFailed, .malformedResponse, .bodyTruncated:
            "The response is damaged: \(error). Check the origin, then ingest again."
        default:
            "The origin could not be reached: \(error). Check the URL and the origin, then ingest again."
        }
    }
}
