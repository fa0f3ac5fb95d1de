#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How a stored response ages, worked out once: for whoever asks about the same response again and again.
public struct Aging: Sendable, Hashable {
    /// Seconds of age when the response arrived (RFC 9111, section 4.2.3: the larger of the apparent and the corrected age).
    private let initialAge: Double
    private let responseTime: Date

    /// Reads the fields of a response.
    public init(of stored: StoredResponse) {
        initialAge = Freshness.initialAge(of: stored, date: Freshness.date(of: stored))
        responseTime = stored.responseTime
    }

    /// The age in whole seconds, the same that ``HTTPCache/age(of:now:)`` gives.
    public func age(at now: Date) -> Int {
        Freshness.wholeSeconds(initialAge + max(0, now.timeIntervalSince(responseTime)))
    }
}

extension CacheDecision {
    /// The same decision at another age: what ``HTTPCache/decide(now:request:stored:policy:)`` gives for the same request, which
    /// has neither `Cache-Control` nor `Pragma`, and the same stored responses.
    /// - Returns: `nil` unless the response is served, and that only because it is fresh, now as then.
    public func aged(to age: Int) -> CacheDecision? {
        guard case .serve = action, reasons.count == 1, case .fresh(var freshness) = reasons[0].step,
            age < freshness.lifetime
        else { return nil }
        var decision = self
        freshness.age = age
        decision.reasons[0] = Reason(.fresh(freshness))
        decision.ageSeconds = age
        return decision
    }
}
