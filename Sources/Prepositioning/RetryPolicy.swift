import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How long to wait before another try.
enum RetryPolicy {
    /// The first wait, before jitter.
    static let delayMin = Duration.seconds(1)
    /// The longest wait of the back-off's own.
    static let delayMax = Duration.seconds(60)
    /// The longest `Retry-After` waited for within a sync; the item fails until the next sync when the server asks for more.
    static let retryAfterMax = Duration.seconds(120)
    /// Between two tries to register.
    static let registrationInterval = Duration.seconds(600)

    /// The wait after a failed try: doubled with each, between half and the whole of it by chance.
    /// - Parameters:
    ///   - failedAttempts: tries that failed so far, this one not included.
    ///   - randomFraction: from 0 up to 1.
    /// - Returns: `nil` when the server asked for more patience than a sync has.
    static func delay(after failure: DownloadFailure, failedAttempts: Int, randomFraction: Double) -> Duration? {
        let doubled = delayMin * (1 << min(max(failedAttempts, 0), 10))
        let backOff = min(doubled, delayMax) * (0.5 + min(max(randomFraction, 0), 1) / 2)
        guard let retryAfter = failure.retryAfter else { return backOff }
        return retryAfter <= retryAfterMax ? max(retryAfter, backOff) : nil
    }

    /// Whether a status may change by itself in a moment.
    static func isTransient(status: Int) -> Bool { status == 408 || status == 429 || 500...599 ~= status }

    /// Reads `Retry-After` (RFC 9110, section 10.2.3): seconds or a date.
    static func retryAfter(_ response: HTTPResponse, now: Date) -> Duration? {
        guard let text = response.fields[.retryAfter] else { return nil }
        if text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let seconds = Int64(text) {
            return .seconds(min(seconds, 1 << 31))
        }
        guard let date = HTTPDate.parse(text, now: now) else { return nil }
        return .seconds(max(0, date.timeIntervalSince(now)))
    }
}
