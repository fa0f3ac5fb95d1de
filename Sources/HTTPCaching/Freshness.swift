import HTTPModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Age and lifetime of a stored response (RFC 9111, section 4.2), in whole seconds.
struct Freshness: Sendable, Hashable {
    /// What the lifetime rests on.
    enum Basis: Sendable, Hashable {
        case maxAge, invalidMaxAge, sharedMaxAge, invalidSharedMaxAge, expires, invalidExpires, nothing
        /// A share of the seconds between `Last-Modified` and `Date`.
        case heuristic(unchangedFor: Int)
    }

    var age: Int
    /// How much of the age it had when it arrived.
    var ageOnArrival: Int
    var lifetime: Int
    var basis: Basis

    var isFresh: Bool { age < lifetime }
    /// Seconds past the end of the lifetime; 0 or more only when stale.
    var staleness: Int { age - lifetime }

    init(of stored: StoredResponse, control: ResponseControl, now: Date, policy: CachingPolicy) {
        let date = Self.date(of: stored)
        let initialAge = Self.initialAge(of: stored, date: date)
        age = Self.age(initialAge, of: stored, now: now)
        ageOnArrival = Self.wholeSeconds(initialAge)
        (lifetime, basis) = Self.lifetime(of: stored, control: control, date: date, policy: policy)
    }

    /// When the origin made the response: `Date`, or the time of arrival where that is missing or malformed (RFC 9110,
    /// section 6.6.1).
    static func date(of stored: StoredResponse) -> Date {
        stored.response.fields.firstValue(of: .date).flatMap { HTTPDate.parse($0, now: stored.responseTime) }
            ?? stored.responseTime
    }

    /// The age calculation of RFC 9111, section 4.2.3; a clock that has been set back counts as one that stands still.
    static func age(of stored: StoredResponse, date: Date, now: Date) -> Int {
        age(initialAge(of: stored, date: date), of: stored, now: now)
    }

    private static func age(_ initialAge: Double, of stored: StoredResponse, now: Date) -> Int {
        wholeSeconds(initialAge + max(0, now.timeIntervalSince(stored.responseTime)))
    }

    /// The age at arrival: `corrected_initial_age` of the same section.
    static func initialAge(of stored: StoredResponse, date: Date) -> Double {
        let apparentAge = max(0, stored.responseTime.timeIntervalSince(date))
        let responseDelay = max(0, stored.responseTime.timeIntervalSince(stored.requestTime))
        let correctedAge = Double(ageField(of: stored.response.fields)) + responseDelay
        return max(apparentAge, correctedAge)
    }

    /// The first member of `Age`, 0 when that is no number (RFC 9111, section 5.1).
    private static func ageField(of fields: HTTPFields) -> Int {
        guard let value = fields.firstValue(of: .age) else { return 0 }
        let first = value.utf8.prefix { $0 != UInt8(ascii: ",") }
        return DeltaSeconds.parse(Substring(first).trimmingSpaces()) ?? 0
    }

    private static func lifetime(
        of stored: StoredResponse, control: ResponseControl, date: Date, policy: CachingPolicy
    ) -> (Int, Basis) {
        if let (seconds, basis) = control.lifetime { return (seconds.cautious, basis) }
        if let expires = control.expires(stored.response.fields) {
            guard let end = HTTPDate.parse(expires, now: stored.responseTime) else { return (0, .invalidExpires) }
            return (wholeSeconds(end.timeIntervalSince(date)), .expires)
        }
        guard isHeuristicallyCacheable(stored.response.status) || control.control.isPublic,
            let modified = stored.response.fields.firstValue(of: .lastModified)
                .flatMap({ HTTPDate.parse($0, now: stored.responseTime) })
        else { return (0, .nothing) }
        let unchanged = date.timeIntervalSince(modified)
        let share = wholeSeconds(unchanged * policy.heuristicFraction)
        return (
            min(share, max(0, policy.heuristicLifetimeSecondsMax)),
            .heuristic(unchangedFor: wholeSeconds(unchanged))
        )
    }

    /// The statuses that may be given a lifetime that nobody stated (RFC 9110, section 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        switch status {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }

    /// Rounded down, 0 when negative or no number, ``DeltaSeconds/maximum`` at most.
    static func wholeSeconds(_ interval: Double) -> Int {
        interval > 0 ? Int(min(interval, Double(DeltaSeconds.maximum))) : 0
    }
}

extension Freshness {
    /// The age, and what it is made of.
    var ageText: String {
        guard ageOnArrival > 0 else { return "\(age) s old" }
        return "\(age) s old (\(ageOnArrival) s on arrival and \(age - ageOnArrival) s since)"
    }
}

extension Freshness.Basis {
    var text: String {
        switch self {
        case .maxAge: "Cache-Control: max-age"
        case .invalidMaxAge: "its max-age is no number"
        case .sharedMaxAge: "Cache-Control: s-maxage"
        case .invalidSharedMaxAge: "its s-maxage is no number"
        case .expires: "Expires"
        case .invalidExpires: "its Expires is no date"
        case .heuristic(let seconds): "a guess: a share of the \(seconds) s from Last-Modified to Date"
        case .nothing: "nothing says how long"
        }
    }

    var reference: String {
        switch self {
        case .maxAge, .invalidMaxAge, .sharedMaxAge, .invalidSharedMaxAge, .nothing: "RFC 9111 §4.2.1"
        case .expires, .invalidExpires: "RFC 9111 §5.3"
        case .heuristic: "RFC 9111 §4.2.2"
        }
    }
}

extension HTTPFields {
    /// The value of the first line of that name: what counts for fields that are no lists, such as dates.
    func firstValue(of name: HTTPFieldName) -> String? { first { $0.name == name }?.value }
}

extension Substring {
    func trimmingSpaces() -> Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 { text = text.dropFirst() }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 { text = text.dropLast() }
        return text
    }
}
