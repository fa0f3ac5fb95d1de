public import Wire

extension DayHours {
    /// Such as "22:00–06:00".
    public var text: String { "\(Self.text(ofMinute: startMinute))–\(Self.text(ofMinute: endMinute))" }

    /// The spans that a text lists, such as "22:00-06:00, 12:00-13:30"; `nil` when it does not read so. Nothing is no span.
    public static func spans(_ text: String) -> [DayHours]? {
        let parts = text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        let spans = parts.map { part -> DayHours? in
            let ends = part.split(whereSeparator: { $0 == "-" || $0 == "–" }).map(String.init)
            guard ends.count == 2, let start = minute(ends[0]), let end = minute(ends[1]) else { return nil }
            return DayHours(startMinute: start, endMinute: end)
        }
        return spans.contains { $0 == nil } ? nil : spans.compactMap { $0 }
    }

    private static func text(ofMinute minute: Int) -> String {
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(twoDigits(minute / 60)):\(twoDigits(minute % 60))"
    }

    private static func minute(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x3A }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), minute < 60, hour * 60 + minute <= 1_440
        else { return nil }
        return hour * 60 + minute
    }
}
