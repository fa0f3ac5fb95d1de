import Acceleration
import ContentStore
import Foundation
import HTTPModel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// An answer from the store that Foundation can have in one go: head, body and end.
struct StoredAnswer {
    /// The longest body that a delegate gets in one piece.
    private static let pieceByteCountMax: Int64 = 128 << 10

    let response: HTTPURLResponse
    let body: Data

    /// Reads the body; `nil` when the answer must go the longer way: a redirect, a challenge, a part of a body, a body for
    /// more than one piece, one that the disk has lost.
    init?(_ answer: AcceleratedResponse, for request: URLRequest, form: TaskInsight.Form) {
        let status = answer.response.status
        guard status != 401, !RedirectedRequest.statuses.contains(status) else { return nil }
        // The longer way tells of what Foundation does not take.
        guard let response = try? FoundationBridge.response(answer.response, url: answer.url) else { return nil }
        self.response = response
        if BodyDelivery.isEmpty(response, to: request) {
            body = Data()
            return
        }
        // The longer way tells of what cannot be read.
        guard let stored = answer.storedBody, form != .delegate || stored.byteCount <= Self.pieceByteCountMax,
            let body = try? stored.data()
        else { return nil }
        self.body = body
    }
}
