#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment as the clock on the wall of a time zone shows it.
struct LocalTime: Sendable, Hashable {
    private static let secondsOfDay = 86_400
    private static let minutesOfDay = 1_440
    /// Beyond, calendars know nothing.
    private static let secondsMax = 1e12

    /// Rises by one at each local midnight.
    let day: Int
    /// From local midnight on the wall clock, 0 to 86,399; it jumps where daylight saving time begins and ends.
    let second: Int
    private let date: Date
    private let timeZone: TimeZone

    init(_ date: Date, in timeZone: TimeZone) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let known = abs(seconds) <= Self.secondsMax ? seconds : 0
        self.date = Date(timeIntervalSince1970: known)
        self.timeZone = timeZone
        let local = Int(known) + timeZone.secondsFromGMT(for: self.date)
        second = (local % Self.secondsOfDay + Self.secondsOfDay) % Self.secondsOfDay
        day = (local - second) / Self.secondsOfDay
    }

    /// 0 to 1,439.
    var minute: Int { second / 60 }

    /// How long until the wall clock shows a minute of the day again; never nothing.
    func duration(untilMinute minute: Int) -> Duration {
        let target = (minute % Self.minutesOfDay + Self.minutesOfDay) % Self.minutesOfDay * 60
        let seconds = target > second ? target - second : target - second + Self.secondsOfDay
        let shift =
            timeZone.secondsFromGMT(for: date + Double(seconds)) - timeZone.secondsFromGMT(for: date)
        // A clock that is put forward meanwhile gets there sooner, one that is put back later.
        return .seconds(max(1, seconds - shift))
    }

    var durationUntilMidnight: Duration { duration(untilMinute: 0) }
}
