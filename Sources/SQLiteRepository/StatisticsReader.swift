import ControlModel
import SQLiteDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A span of time, cut into slices of equal length. Milliseconds; `end` does not belong to it.
struct StatisticsSpan: Sendable {
    var appID: String
    var start: Int64
    var end: Int64
    var sliceCount: Int

    init(_ appID: String, _ start: Date, _ end: Date, sliceCount: Int) {
        self.appID = appID
        self.start = start.milliseconds
        self.end = max(end.milliseconds, start.milliseconds + 1)
        self.sliceCount = sliceCount
    }

    var values: [(any SQLiteBindable)?] { [appID, start, end] }

    func slice(of date: Int64) -> Int { Int((date - start) * Int64(sliceCount) / (end - start)) }
    func start(ofSlice slice: Int) -> Date {
        Date(milliseconds: start + (end - start) * Int64(slice) / Int64(sliceCount))
    }
}

/// Sums up what devices told, within one snapshot.
///
/// Exchanges are read once, in the order of their index, which holds all that is needed: sorting them by slice and outcome
/// in SQL costs several times as much. Sums are floating point, which what a device makes up cannot overflow.
struct StatisticsReader {
    private static let nameCountMax = 200

    let connection: SQLiteConnection
    let span: StatisticsSpan

    func read() throws -> AppStatistics {
        var statistics = AppStatistics(start: Date(milliseconds: span.start))
        let (slices, total) = try exchanges()
        let medianMiss = total.medianMiss
        statistics.total = total.slice(start: Date(milliseconds: span.start), medianMiss: medianMiss)
        statistics.slices = (0..<span.sliceCount).map { index in
            (slices[index] ?? ExchangeSums().closed()).slice(start: span.start(ofSlice: index), medianMiss: medianMiss)
        }
        statistics.outcomes = try outcomes()
        statistics.events = try counts("SELECT name, COUNT(*) FROM events", by: "name")
        statistics.losses = try counts("SELECT reason, TOTAL(count) FROM losses", by: "reason")
        statistics.deviceCount =
            try connection.first(
                "SELECT COUNT(*) FROM devices WHERE app_id = ? AND last_seen_at >= ?", span.appID, span.start
            ) { $0.int(0) } ?? 0
        return statistics
    }

    private func exchanges() throws -> (slices: [Int: ExchangeSums.Closed], total: ExchangeSums.Closed) {
        var slices: [Int: ExchangeSums.Closed] = [:], total = ExchangeSums()
        var current = ExchangeSums(), currentSlice = 0
        try connection.forEach(
            """
            SELECT date, outcome, total_us, body_bytes, wire_bytes FROM exchanges
            WHERE app_id = ?1 AND date >= ?2 AND date < ?3 ORDER BY date
            """, values: span.values
        ) { row in
            let slice = span.slice(of: row.int64(0))
            if slice != currentSlice {
                slices[currentSlice] = current.closed()
                (current, currentSlice) = (ExchangeSums(), slice)
            }
            let outcome = row.string(1)
            let (microseconds, body, wire) = (row.int64(2), row.int64(3), row.int64(4))
            current.add(outcome, microseconds: microseconds, bodyByteCount: body, wireByteCount: wire)
            total.add(outcome, microseconds: microseconds, bodyByteCount: body, wireByteCount: wire)
            return true
        }
        slices[currentSlice] = current.closed()
        return (slices, total.closed())
    }

    private func outcomes() throws -> [String: AppStatistics.OutcomeSum] {
        var result: [String: AppStatistics.OutcomeSum] = [:]
        try connection.forEach(
            """
            SELECT outcome, COUNT(*), TOTAL(byte_count) FROM outcomes
            WHERE app_id = ?1 AND date >= ?2 AND date < ?3 GROUP BY outcome
            """, values: span.values
        ) { row in
            result[row.string(0)] = AppStatistics.OutcomeSum(
                count: row.int(1), byteCount: row.sum(2))
            return true
        }
        return result
    }

    /// The most frequent names with their counts.
    private func counts(_ select: String, by name: String) throws -> [String: Int] {
        var result: [String: Int] = [:]
        try connection.forEach(
            """
            \(select) WHERE app_id = ?1 AND date >= ?2 AND date < ?3
            GROUP BY \(name) ORDER BY 2 DESC, 1 LIMIT \(Self.nameCountMax)
            """, values: span.values
        ) { row in
            result[row.string(0)] = Int(row.sum(1))
            return true
        }
        return result
    }
}
