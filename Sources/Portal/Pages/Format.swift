#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Figures as people read them.
enum Format {
    /// "1.4 MB": powers of 1000.
    static func bytes(_ count: Int64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var value = Double(count)
        var unit = 0
        while abs(value) >= 999.5, unit < units.count - 1 {
            value /= 1_000
            unit += 1
        }
        return "\(unit == 0 || value >= 99.95 ? String(Int(value.rounded())) : oneDigit(value)) \(units[unit])"
    }

    /// "12,345".
    static func count(_ number: Int) -> String {
        let digits = Array(String(abs(number)))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digit)
        }
        return number < 0 ? "-" + text : text
    }

    /// "1 item", "2 items".
    static func plural(_ number: Int, _ noun: String) -> String { "\(count(number)) \(noun)\(number == 1 ? "" : "s")" }

    /// "73.4 %"; a dash without a whole.
    static func percent(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "–" : "\(oneDigit(100 * Double(part) / Double(whole))) %"
    }

    /// "850 ms", "12.4 s", "3.1 h".
    static func duration(milliseconds: Double) -> String {
        switch milliseconds {
        case ..<999.5: "\(Int(milliseconds.rounded())) ms"
        case ..<119_950: "\(oneDigit(milliseconds / 1_000)) s"
        case ..<7_170_000: "\(oneDigit(milliseconds / 60_000)) min"
        default: "\(oneDigit(milliseconds / 3_600_000)) h"
        }
    }

    static func oneDigit(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    /// "2026-11-21 14:05" in UTC.
    static func date(_ date: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute], from: date)
        let day = [parts.year ?? 0, parts.month ?? 0, parts.day ?? 0].map(twoDigits).joined(separator: "-")
        return "\(day) \(twoDigits(parts.hour ?? 0)):\(twoDigits(parts.minute ?? 0))"
    }

    /// "2026-11-21" in UTC.
    static func day(_ date: Date) -> String { String(Self.date(date).prefix(10)) }

    /// The midnight that ends a day such as "2026-11-21", UTC; `nil` when there is no such day.
    static func endOfDay(_ text: String) -> Date? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
            let day = Int(parts[2]),
            let start = calendar.date(from: DateComponents(year: year, month: month, day: day)),
            Self.day(start) == text
        else { return nil }
        return start.addingTimeInterval(86_400)
    }

    /// "14:05:09" in UTC.
    static func time(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .second], from: date)
        return [parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0].map(twoDigits).joined(separator: ":")
    }

    /// "14:05" for spans of up to a day, else "21 Nov".
    static func axis(_ date: Date, spanSeconds: Double) -> String {
        let parts = calendar.dateComponents([.month, .day, .hour, .minute], from: date)
        if spanSeconds <= 86_400 { return "\(twoDigits(parts.hour ?? 0)):\(twoDigits(parts.minute ?? 0))" }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        return "\(parts.day ?? 0) \(months[((parts.month ?? 1) - 1) % 12])"
    }

    /// "just now", "5 min ago", "3 h ago", "12 d ago".
    static func ago(_ date: Date, now: Date) -> String {
        let seconds = Int(now.timeIntervalSince(date))
        switch seconds {
        case ..<60: return "just now"
        case ..<3_600: return "\(seconds / 60) min ago"
        case ..<86_400: return "\(seconds / 3_600) h ago"
        default: return "\(seconds / 86_400) d ago"
        }
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()
}
