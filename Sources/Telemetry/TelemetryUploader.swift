import HTTPModel
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Sends one batch and says what the answer means for it.
struct TelemetryUploader: Sendable {
    /// What became of a batch.
    enum Verdict: Sendable, Hashable {
        case delivered
        /// The server will never take it.
        case rejected(String)
        /// The server does not know the device any more.
        case refused(String)
        /// Worth another try later.
        case failed(String)
    }

    private let destination: TelemetryQueue.Destination
    private let transport: any HTTPTransport

    init(_ destination: TelemetryQueue.Destination, _ transport: any HTTPTransport) {
        self.destination = destination
        self.transport = transport
    }

    func send(_ stored: StoredBatch) async throws -> Verdict {
        let batch = TelemetryBatch(
            id: stored.id, deviceID: destination.deviceID, createdAt: stored.createdAt, items: stored.items,
            losses: stored.losses)
        let base = destination.serverURL.string.drop(trailing: "/")
        guard let url = HTTPURL("\(base)/v1/batches/\(stored.id)") else {
            return .failed("the batch id makes no URL")
        }
        guard let body = WireCoding.compress(try WireCoding.encode(batch)) else {
            return .rejected("the batch cannot be compressed")
        }
        let fields: HTTPFields = [
            .contentType: "application/json", .contentEncoding: "zstd",
            .authorization: "Bearer \(destination.deviceToken)", "Larder-Device": destination.deviceID,
        ]
        var request = TransportRequest(HTTPRequest(method: .post, url: url, fields: fields), body: .data(body))
        request.totalTimeout = .seconds(120)
        do {
            let response = try await transport.send(request)
            return verdict(response.response.status)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return .failed("\(error)")
        }
    }

    private func verdict(_ status: Int) -> Verdict {
        switch status {
        case 200..<300: .delivered
        case 400, 413, 415, 422: .rejected("the server rejected the batch with status \(status)")
        case 401, 403: .refused("the server refused the device's token with status \(status)")
        default: .failed("the server answered with status \(status)")
        }
    }
}

extension String {
    fileprivate func drop(trailing character: Character) -> Substring {
        var rest = self[...]
        while rest.last == character { rest.removeLast() }
        return rest
    }
}
