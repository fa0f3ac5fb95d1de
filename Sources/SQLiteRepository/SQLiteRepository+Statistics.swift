public import ControlModel
import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    public func statistics(
        appID: String, from start: Date, to end: Date, sliceCount: Int
    ) async throws -> AppStatistics {
        let span = StatisticsSpan(
            appID: appID, start: start.milliseconds, end: max(end.milliseconds, start.milliseconds + 1),
            sliceCount: min(max(sliceCount, 1), 1_000))
        return try await read { connection in
            let reader = StatisticsReader(connection: connection, span: span)
            return try reader.read(start: start)
        }
    }
}

/// A span of time, cut into slices of equal length. Milliseconds; `end` does not belong to it.
private struct StatisticsSpan: Sendable {
    var appID: String
    var start: Int64
    var end: Int64
    var sliceCount: Int

    var values: [(any SQLiteBindable)?] { [appID, start, end] }
    /// SQL for the number of an exchange's slice.
    var sliceExpression: String { "(date - ?2) * \(sliceCount) / (?3 - ?2)" }

    func start(ofSlice slice: Int) -> Date {
        Date(milliseconds: start + (end - start) * Int64(slice) / Int64(sliceCount))
    }
}

/// Sums up within one snapshot. Sums of what devices told are taken as floating point, which cannot overflow.
private struct StatisticsReader {
    /// Outcomes answered on the device without waiting for the network.
    private static let hits: Set = ["pinnedHit", "cacheHit"]
    /// Outcomes whose body came from the device.
    private static let saving: Set = ["pinnedHit", "cacheHit", "revalidated", "staleOnError"]
    private static let nameCountMax = 200

    let connection: SQLiteConnection
    let span: StatisticsSpan

    func read(start: Date) throws -> AppStatistics {
        var statistics = AppStatistics(start: start)
        let sums = try self.sums()
        let medians = try self.medians(slice: span.sliceExpression)
        let total = try self.medians(slice: "0")[0] ?? Medians()
        statistics.slices = (0..<span.sliceCount).map { slice in
            var value = AppStatistics.Slice(start: span.start(ofSlice: slice))
            for sum in sums where sum.slice == slice { add(sum, to: &value, medianMiss: total.miss) }
            value.hitMilliseconds = medians[slice]?.hit
            value.missMilliseconds = medians[slice]?.miss
            return value
        }
        for sum in sums { add(sum, to: &statistics.total, medianMiss: total.miss) }
        statistics.total.hitMilliseconds = total.hit
        statistics.total.missMilliseconds = total.miss
        statistics.outcomes = try outcomes()
        statistics.events = try counts("SELECT name, COUNT(*) FROM events", by: "name")
        statistics.losses = try counts("SELECT reason, TOTAL(count) FROM losses", by: "reason")
        statistics.deviceCount =
            try connection.first(
                "SELECT COUNT(*) FROM devices WHERE app_id = ? AND last_seen_at >= ?", span.appID, span.start
            ) { $0.int(0) } ?? 0
        return statistics
    }

    private struct Sum {
        var slice: Int
        var outcome: String
        var count: Int
        var bodyByteCount: Double
        var wireByteCount: Double
        var milliseconds: Double
    }

    private func sums() throws -> [Sum] {
        try connection.query(
            """
            SELECT \(span.sliceExpression) AS slice, outcome, COUNT(*), TOTAL(body_bytes), TOTAL(wire_bytes),
                TOTAL(total_us) / 1000
            FROM exchanges WHERE app_id = ?1 AND date >= ?2 AND date < ?3 GROUP BY slice, outcome
            """, values: span.values
        ) { row in
            Sum(
                slice: row.int(0), outcome: row.string(1), count: row.int(2), bodyByteCount: row.double(3),
                wireByteCount: row.double(4), milliseconds: row.double(5))
        }
    }

    private func add(_ sum: Sum, to slice: inout AppStatistics.Slice, medianMiss: Double?) {
        slice.exchanges[sum.outcome, default: 0] += sum.count
        slice.wireByteCount += Self.bytes(sum.wireByteCount)
        if Self.saving.contains(sum.outcome) { slice.savedByteCount += Self.bytes(sum.bodyByteCount) }
        if Self.hits.contains(sum.outcome), let medianMiss {
            slice.savedMilliseconds += Double(sum.count) * medianMiss - sum.milliseconds
        }
    }

    /// A sum as a whole number, a million milliards at most: seven outcomes in 1,000 slices of that still fit 64 bits.
    private static func bytes(_ sum: Double) -> Int64 { Int64(min(sum, 1e15)) }

    private struct Medians {
        var hit: Double?
        var miss: Double?
    }

    /// Median milliseconds of hits and misses by slice.
    private func medians(slice: String) throws -> [Int: Medians] {
        var result: [Int: Medians] = [:]
        try connection.forEach(
            """
            WITH timed AS (
                SELECT \(slice) AS slice, outcome = 'miss' AS is_miss, total_us FROM exchanges
                WHERE app_id = ?1 AND date >= ?2 AND date < ?3 AND outcome IN ('pinnedHit', 'cacheHit', 'miss')
            ), ranked AS (
                SELECT slice, is_miss, total_us,
                    ROW_NUMBER() OVER (PARTITION BY slice, is_miss ORDER BY total_us) AS place,
                    COUNT(*) OVER (PARTITION BY slice, is_miss) AS size
                FROM timed
            )
            SELECT slice, is_miss, AVG(total_us) / 1000 FROM ranked
            WHERE place IN ((size + 1) / 2, (size + 2) / 2) GROUP BY slice, is_miss
            """, values: span.values
        ) { row in
            if row.bool(1) {
                result[row.int(0), default: Medians()].miss = row.double(2)
            } else {
                result[row.int(0), default: Medians()].hit = row.double(2)
            }
            return true
        }
        return result
    }

    private func outcomes() throws -> [String: AppStatistics.OutcomeSum] {
        var result: [String: AppStatistics.OutcomeSum] = [:]
        try connection.forEach(
            """
            SELECT outcome, COUNT(*), TOTAL(byte_count) FROM outcomes
            WHERE app_id = ?1 AND date >= ?2 AND date < ?3 GROUP BY outcome
            """, values: span.values
        ) { row in
            result[row.string(0)] = AppStatistics.OutcomeSum(count: row.int(1), byteCount: Self.bytes(row.double(2)))
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
            result[row.string(0)] = Int(Self.bytes(row.double(1)))
            return true
        }
        return result
    }
}
