/// Sends one request over the network, nothing more: no cache, no redirects.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the response head is there; the body streams after it.
    ///
    /// Cancelling the task, or letting go of the response's body, ends the transfer.
    /// - Throws: ``TransportError``; `CancellationError` when the task was cancelled.
    func send(_ request: TransportRequest) async throws -> TransportResponse
}
