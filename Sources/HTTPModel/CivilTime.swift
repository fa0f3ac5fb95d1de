/// A date and time of the proleptic Gregorian calendar in UTC.
struct CivilTime {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int

    /// Creates a time from its numbers, which may not exist together.
    init(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Creates a time from a day and its clock.
    init(year: Int, month: Int, day: Int, clock: (hour: Int, minute: Int, second: Int)) {
        self.init(
            year: year, month: month, day: day, hour: clock.hour, minute: clock.minute, second: clock.second)
    }

    /// The time so many seconds after the epoch.
    init(secondsSince1970 seconds: Int) {
        let days = Self.quotient(seconds, 86_400), inDay = seconds - days * 86_400
        // Years of this count begin in March, so that the leap day is a year's last; 400 of them have 146,097 days.
        let shifted = days + 719_468
        let era = Self.quotient(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, hour: inDay / 3_600, minute: inDay / 60 % 60,
            second: inDay % 60)
    }

    /// Seconds since the epoch; `nil` when there is no such time. A leap second counts as the second after it.
    var secondsSince1970: Int? {
        guard 1...12 ~= month, 1...Self.dayCount(ofMonth: month, year: year) ~= day, 0...23 ~= hour,
            0...59 ~= minute, 0...60 ~= second
        else { return nil }
        return daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second
    }

    /// 0 for Sunday.
    var weekday: Int {
        let remainder = (daysSince1970 + 4) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    /// Whether this comes after another time, number by number.
    func isLater(than other: CivilTime) -> Bool {
        other.numbers.lexicographicallyPrecedes(numbers)
    }

    private var numbers: [Int] { [year, month, day, hour, minute, second] }

    private var daysSince1970: Int {
        let year = month <= 2 ? year - 1 : year
        let era = Self.quotient(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func dayCount(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Division that rounds down, also below zero.
    private static func quotient(_ dividend: Int, _ divisor: Int) -> Int {
        (dividend - (dividend < 0 ? divisor - 1 : 0)) / divisor
    }
}
