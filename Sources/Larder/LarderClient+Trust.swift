public import Transport

/// Who decides whether a server is trusted.
extension LarderClient {
    /// Asks the app about every server's certificate chain, for its own requests and for downloads ahead of need alike; `nil`
    /// leaves it to the system. Replaces ``LarderConfiguration/trust``'s evaluator; takes effect with the next request.
    ///
    /// The verdict is remembered for host, port and chain until the evaluator is replaced. May take its time: other hosts go on,
    /// and requests that wait for the verdict can be cancelled and end with their own time limit. Pinned keys are checked
    /// besides. `docs/trust.md` has the whole.
    public func setTrustEvaluator(_ evaluator: TrustPolicy.Evaluator?) {
        (services.transport as? CurlTransport)?.setTrustEvaluator(evaluator)
    }
}
