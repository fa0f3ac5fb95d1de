/// The sums of one local day.
struct DailyUsage: Sendable, Hashable {
    /// The day as ``LocalTime/day`` counts.
    var day: Int
    var usage = DataUsage()

    /// The sums at a day: they begin anew on a later one. A clock that is set back does not give back what was used.
    func rolled(to today: Int) -> DailyUsage { DailyUsage(day: today, usage: today > day ? DataUsage() : usage) }

    /// The sums with more bytes; never less than nothing, and never too many to count.
    func adding(_ more: DataUsage) -> DailyUsage {
        var sum = self
        sum.usage.wifiByteCount = Self.sum(usage.wifiByteCount, more.wifiByteCount)
        sum.usage.cellularByteCount = Self.sum(usage.cellularByteCount, more.cellularByteCount)
        return sum
    }

    private static func sum(_ left: Int64, _ right: Int64) -> Int64 {
        let (sum, isTooLarge) = left.addingReportingOverflow(right)
        return isTooLarge ? (right > 0 ? .max : 0) : max(0, sum)
    }
}
