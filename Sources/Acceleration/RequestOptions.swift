public import HTTPModel

/// How a request is to be treated besides what its fields say.
public struct RequestOptions: Sendable, Hashable {
    /// Follow 3xx responses, ten at most; otherwise the 3xx is the answer.
    public var followsRedirects = true
    /// Neither answer from the cache nor store; what an unsafe request changes is invalidated all the same.
    public var bypassesCache = false
    /// The request is passed on for another program: fields it lacks stay absent, and bodies stay in the content coding that
    /// they came in.
    public var isProxied = false
    /// What the app asked for first, when the caller follows redirects itself; told to the trust evaluator.
    public var originalRequest: HTTPRequest?
    /// Longest time for the whole exchange; `nil` for no limit.
    public var totalTimeout: Duration?
    /// Longest time without a byte moving.
    public var idleTimeout = Duration.seconds(60)

    /// The defaults.
    public init() {}
}
