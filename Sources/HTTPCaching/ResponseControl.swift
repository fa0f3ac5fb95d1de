import HTTPModel

/// What a response tells this cache of its storing and use.
struct ResponseControl {
    let control: CacheControl
    /// A targeted field gives the directives; `Expires` then says nothing (RFC 9213, section 2.2).
    let isTargeted: Bool
    private let isShared: Bool

    init(_ fields: HTTPFields, policy: CachingPolicy) {
        isShared = policy.isShared
        for name in policy.targetedFields {
            guard let targeted = CacheControl(targeted: name, in: fields) else { continue }
            (control, isTargeted) = (targeted, true)
            return
        }
        (control, isTargeted) = (CacheControl(fields), false)
    }

    /// The end of the lifetime as `Expires` states it, where that counts.
    func expires(_ fields: HTTPFields) -> String? { isTargeted ? nil : fields.firstValue(of: .expires) }

    /// The lifetime that a directive states, and which.
    var lifetime: (seconds: CacheControl.Seconds, basis: Freshness.Basis)? {
        if isShared, let seconds = control.sharedMaxAge {
            return (seconds, seconds == .invalid ? .invalidSharedMaxAge : .sharedMaxAge)
        }
        return control.maxAge.map { ($0, $0 == .invalid ? .invalidMaxAge : .maxAge) }
    }

    /// Whether it must not be used stale: by `must-revalidate`, in a shared cache also by `proxy-revalidate` and `s-maxage`
    /// (RFC 9111, sections 5.2.2.2, 5.2.2.8 and 5.2.2.10).
    var mustRevalidate: Bool {
        control.mustRevalidate || (isShared && (control.proxyRevalidate || control.sharedMaxAge != nil))
    }

    /// What keeps a shared cache from storing a response (RFC 9111, sections 3.5 and 5.2.2.7); `nil` in a private one.
    func sharingObstacle(_ request: HTTPRequest) -> CacheDecision.Reason? {
        guard isShared else { return nil }
        if control.isPrivate != nil {
            return CacheDecision.Reason("it is for one user only (Cache-Control: private)", "RFC 9111 §5.2.2.7")
        }
        let isReleased = control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
        if request.fields.contains(.authorization), !isReleased {
            return CacheDecision.Reason(
                "it answers a request with Authorization, and nothing says that others may have it", "RFC 9111 §3.5")
        }
        return nil
    }
}
