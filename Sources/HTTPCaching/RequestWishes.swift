import HTTPModel

/// What a request asks of caches (RFC 9111, section 5.2.1).
struct RequestWishes {
    let control: CacheControl
    /// `no-cache` stands in `Cache-Control`, or in `Pragma` where there is no `Cache-Control` (RFC 9111, section 5.4).
    let wantsOrigin: Bool
    let isPragma: Bool

    init(_ fields: HTTPFields) {
        let hasControl = fields.contains(.cacheControl)
        control = hasControl ? CacheControl(fields) : CacheControl()
        isPragma = !hasControl && fields[.pragma].map { CacheControl($0).noCache != nil } == true
        wantsOrigin = isPragma || control.noCache != nil
    }

    /// The age from which on an entry is too old; an unreadable number is read as 0. Ignored beside `no-cache`.
    var maxAge: Int? { wantsOrigin ? nil : control.maxAge?.cautious }

    /// How long an entry must stay fresh; an unreadable number cannot be met.
    var minFresh: Int? {
        guard !wantsOrigin, let minFresh = control.minFresh else { return nil }
        if case .value(let seconds) = minFresh { return seconds }
        return .max
    }

    var maxStale: CacheControl.MaxStale? { wantsOrigin ? nil : control.maxStale }
}
