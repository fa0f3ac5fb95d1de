public import HTTPModel
public import Transport

/// Who decides whether a server is trusted.
extension LarderClient {
    /// Asks the app about every server's certificate chain, for its own requests and for downloads ahead of need alike.
    ///
    /// The verdict is remembered for host and chain. `nil` leaves it to the system. May take its time; other hosts go on.
    public func setTrustEvaluator(_ evaluator: (@Sendable (TrustQuestion) async -> TrustPolicy.Verdict)?) {}
}

/// A server's chain, and the request that it stands in the way of.
public struct TrustQuestion: Sendable {
    /// What the app asked for.
    public var originalRequest: HTTPRequest
    /// What is to be sent to this server, after redirects.
    public var currentRequest: HTTPRequest
    public var trust: ServerTrust

    /// Creates a value.
    public init(originalRequest: HTTPRequest, currentRequest: HTTPRequest, trust: ServerTrust) {
        self.originalRequest = originalRequest
        self.currentRequest = currentRequest
        self.trust = trust
    }
}
