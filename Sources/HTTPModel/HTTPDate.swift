#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Dates as HTTP writes them (RFC 9110, section 5.6.7).
public enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let longDays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]

    /// Reads an IMF-fixdate, an RFC 850 date or an asctime date.
    ///
    /// Letters may be of any case (RFC 9111, section 4.2); everything else is strict: the zone is GMT, numbers have their
    /// full width, and the date exists. The day's name must be one, and is not held against the date.
    /// - Parameters:
    ///   - text: the field value.
    ///   - now: where a two-digit year is counted from: one more than 50 years ahead is taken as the past century.
    /// - Returns: `nil` for anything else.
    public static func parse(_ text: String, now: Date) -> Date? {
        // The longest form is an RFC 850 date on a Wednesday.
        guard (24...33).contains(text.utf8.count) else { return nil }
        var scanner = DateScanner(text)
        guard let name = scanner.letters() else { return nil }
        let date: CivilTime?
        if days.contains(name) {
            date = scanner.skip(", ") ? fixdate(&scanner) : asctime(&scanner)
        } else {
            date = longDays.contains(name) ? rfc850(&scanner, now: now) : nil
        }
        guard let date, scanner.isAtEnd, let seconds = date.secondsSince1970 else { return nil }
        return Date(timeIntervalSince1970: Double(seconds))
    }

    /// Writes an IMF-fixdate, rounded down to the second; dates outside of the years 0 to 9999 are written as the nearest
    /// that can be.
    public static func format(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let bounded = seconds.isNaN ? 0 : min(max(seconds.rounded(.down), -62_167_219_200), 253_402_300_799)
        let time = CivilTime(secondsSince1970: Int(bounded))
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let clock = "\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
        let day = days[time.weekday].capitalizedASCII, month = months[time.month - 1].capitalizedASCII
        return "\(day), \(padded(time.day, 2)) \(month) \(padded(time.year, 4)) \(clock) GMT"
    }

    /// ` 06 Nov 1994 08:49:37 GMT`, after the day's name and its comma.
    private static func fixdate(_ scanner: inout DateScanner) -> CivilTime? {
        guard let day = scanner.number(digits: 2), scanner.skip(" "), let month = month(&scanner), scanner.skip(" "),
            let year = scanner.number(digits: 4), scanner.skip(" "), let clock = clock(&scanner), scanner.skip(" GMT")
        else { return nil }
        return CivilTime(year: year, month: month, day: day, clock: clock)
    }

    /// `, 06-Nov-94 08:49:37 GMT`.
    private static func rfc850(_ scanner: inout DateScanner, now: Date) -> CivilTime? {
        guard scanner.skip(", "), let day = scanner.number(digits: 2), scanner.skip("-"),
            let month = month(&scanner), scanner.skip("-"), let twoDigits = scanner.number(digits: 2),
            scanner.skip(" "), let clock = clock(&scanner), scanner.skip(" GMT")
        else { return nil }
        let bounded = min(max(now.timeIntervalSince1970.rounded(.down), 0), 253_402_300_799)
        let current = CivilTime(secondsSince1970: Int(bounded))
        // The latest year with these digits that is not more than 50 years ahead.
        var year = current.year + 50 - (current.year + 50 - twoDigits) % 100
        if year == current.year + 50 {
            let then = CivilTime(year: year, month: month, day: day, clock: clock)
            let limit = CivilTime(
                year: year, month: current.month, day: current.day, hour: current.hour, minute: current.minute,
                second: current.second)
            if then.isLater(than: limit) { year -= 100 }
        }
        return CivilTime(year: year, month: month, day: day, clock: clock)
    }

    /// ` Nov  6 08:49:37 1994`, after the day's name.
    private static func asctime(_ scanner: inout DateScanner) -> CivilTime? {
        guard scanner.skip(" "), let month = month(&scanner), scanner.skip(" "),
            let day = scanner.skip(" ") ? scanner.number(digits: 1) : scanner.number(digits: 2), scanner.skip(" "),
            let clock = clock(&scanner), scanner.skip(" "), let year = scanner.number(digits: 4)
        else { return nil }
        return CivilTime(year: year, month: month, day: day, clock: clock)
    }

    private static func month(_ scanner: inout DateScanner) -> Int? {
        guard let name = scanner.letters(), let index = months.firstIndex(of: name) else { return nil }
        return index + 1
    }

    private static func clock(_ scanner: inout DateScanner) -> (hour: Int, minute: Int, second: Int)? {
        guard let hour = scanner.number(digits: 2), scanner.skip(":"), let minute = scanner.number(digits: 2),
            scanner.skip(":"), let second = scanner.number(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }
}

/// Reads the pieces of a date, byte by byte, in lower case.
private struct DateScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = text[...].utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Letters up to the first byte that is none, in lower case; `nil` when there are none.
    mutating func letters() -> String? {
        let letters = rest.prefix { 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 }
        rest = rest[letters.endIndex...]
        return letters.isEmpty ? nil : String(Substring(letters)).lowercased()
    }

    /// Exactly so many digits.
    mutating func number(digits count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        rest = rest[digits.endIndex...]
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    /// Steps over exactly this text, letters in any case; stays where it is otherwise.
    mutating func skip(_ text: StaticString) -> Bool {
        let next = rest.prefix(text.utf8CodeUnitCount)
        let matches = text.withUTF8Buffer { expected in
            next.elementsEqual(expected) { $0 == $1 || (0x61...0x7A ~= $0 && $0 ^ 0x20 == $1) }
        }
        if matches { rest = rest[next.endIndex...] }
        return matches
    }
}

extension String {
    fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst() }
}
