public import NetworkQuality

/// How good the network is, as the SDK's own exchanges show it.
extension LarderClient {
    /// The estimate for the network in use. No I/O.
    public var quality: QualityEstimate { services.quality.estimate }

    /// The estimate now and whenever its status changes, until the client is shut down; a slow listener sees the newest only.
    public func qualities() -> AsyncStream<QualityEstimate> { services.quality.estimates() }
}
