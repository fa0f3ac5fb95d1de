public import HTTPModel
public import Transport

/// What a front door asks of the engine; ``Accelerator`` is the one that ships.
public protocol RequestHandling: Sendable {
    /// Answers a request; see ``Accelerator/send(_:body:options:)``.
    func send(_ request: HTTPRequest, body: RequestBody?, options: RequestOptions) async throws -> AcceleratedResponse
}

extension Accelerator: RequestHandling {}
