public import HTTPModel
public import Transport

/// What a front door asks of the engine; ``Accelerator`` is the one that ships.
public protocol RequestHandling: Sendable {
    /// What the app wants for all of its requests.
    var rules: RequestRules { get }

    /// Answers a request; see ``Accelerator/send(_:body:options:)``.
    func send(_ request: HTTPRequest, body: RequestBody?, options: RequestOptions) async throws -> AcceleratedResponse

    /// Answers a request from the store alone; see ``Accelerator/sendFromStore(_:options:)``.
    func sendFromStore(_ request: HTTPRequest, options: RequestOptions) -> AcceleratedResponse?
}

extension RequestHandling {
    /// The default rules.
    public var rules: RequestRules { RequestRules() }

    /// Leaves every request to ``send(_:body:options:)``.
    public func sendFromStore(_ request: HTTPRequest, options: RequestOptions) -> AcceleratedResponse? { nil }
}

extension Accelerator: RequestHandling {}
