extension ExchangeRecord.Outcome {
    /// Whether the body came from the device, whatever the network was asked besides.
    public var isFromDevice: Bool {
        switch self {
        case .pinnedHit, .cacheHit, .revalidated, .staleOnError: true
        case .miss, .passedThrough, .failed: false
        }
    }

    /// What the retired SDK's analytics called it: "CACHE_FETCH" for a body from the device, "CACHE_MISS" for one from the
    /// network. `nil` where the cache had no part or no answer came: the retired SDK had no word for these.
    public var analyticsName: String? {
        switch self {
        case .pinnedHit, .cacheHit, .revalidated, .staleOnError: "CACHE_FETCH"
        case .miss: "CACHE_MISS"
        case .passedThrough, .failed: nil
        }
    }
}
