import Foundation
import Testing

@testable import Prepositioning

/// Days and hours where the device is.
@Suite struct LocalTimeTests {
    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    @Test(
        "reads the clock on the wall",
        arguments: [
            ("2026-06-15T21:59:59Z", "Europe/Berlin", 1_439), ("2026-06-15T22:00:00Z", "Europe/Berlin", 0),
            ("2026-12-31T23:00:00Z", "Europe/Berlin", 0), ("1969-12-31T23:59:00Z", "UTC", 1_439),
            ("2026-06-15T18:30:00Z", "Asia/Kolkata", 0), ("2026-06-15T12:15:00Z", "Pacific/Chatham", 60),
        ])
    func minutes(text: String, name: String, minute: Int) throws {
        #expect(LocalTime(try date(text), in: try zone(name)).minute == minute)
    }

    @Test("begins a new day at local midnight, on long and short days too")
    func days() throws {
        let berlin = try zone("Europe/Berlin")
        // 23 hours, 25 hours, 24 hours.
        for (start, end) in [
            ("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), ("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
            ("2026-06-14T22:00:00Z", "2026-06-15T22:00:00Z"),
        ] {
            let first = try date(start), last = try date(end)
            let day = LocalTime(first, in: berlin).day
            #expect(LocalTime(first - 1, in: berlin).day == day - 1)
            #expect(LocalTime(last - 1, in: berlin).day == day)
            #expect(LocalTime(last, in: berlin).day == day + 1)
            let length = Int(last.timeIntervalSince(first))
            #expect(LocalTime(first, in: berlin).durationUntilMidnight == .seconds(length))
        }
    }

    @Test("finds the next time of a minute across the changes of the clock")
    func untilMinute() throws {
        let berlin = try zone("Europe/Berlin")
        // One in the night when the clock goes from 02:00 to 03:00: six is an hour sooner.
        let spring = LocalTime(try date("2026-03-29T00:00:00Z"), in: berlin)
        #expect(spring.minute == 60 && spring.duration(untilMinute: 360) == .seconds(4 * 3_600))
        let autumn = LocalTime(try date("2026-10-24T23:00:00Z"), in: berlin)
        #expect(autumn.minute == 60 && autumn.duration(untilMinute: 360) == .seconds(6 * 3_600))
        let noon = LocalTime(try date("2026-06-15T10:00:00Z"), in: berlin)
        #expect(noon.duration(untilMinute: 720) == .seconds(86_400))
        #expect(noon.duration(untilMinute: 721) == .seconds(60))
    }

    @Test(
        "says something of any date",
        arguments: [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e300, .nan])
    func anyDate(seconds: Double) {
        let time = LocalTime(Date(timeIntervalSince1970: seconds), in: .gmt)
        #expect(0..<1_440 ~= time.minute)
    }
}
