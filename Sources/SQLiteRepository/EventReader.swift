import ControlModel
import SQLiteDatabase

/// Sums up what devices told about the app's events, within one snapshot.
struct EventReader {
    private static let nameCountMax = 200
    /// Durations kept for one name, so that all names together take 16 MB at most.
    private static let durationCountMax = 10_000

    let connection: SQLiteConnection
    let span: StatisticsSpan

    func read() throws -> [EventStatistics] {
        let sums = try sums()
        let durations = try durations(of: Set(sums.map(\.name)))
        return sums.map { sum in
            var sum = sum
            sum.medianMilliseconds = durations[sum.name]?.median.map { $0 / 1_000 }
            sum.percentile90Milliseconds = durations[sum.name]?.percentile(90).map { Double($0) / 1_000 }
            return sum
        }
    }

    private func sums() throws -> [EventStatistics] {
        var result: [EventStatistics] = []
        try connection.forEach(
            """
            SELECT name, COUNT(*), COUNT(duration_us), TOTAL(exchange_count), TOTAL(from_device_count),
                TOTAL(failed_count), TOTAL(wire_bytes), MAX(date)
            FROM events WHERE app_id = ?1 AND date >= ?2 AND date < ?3
            GROUP BY name ORDER BY 2 DESC, 1 LIMIT \(Self.nameCountMax)
            """, values: span.values
        ) { row in
            result.append(
                EventStatistics(
                    name: row.string(0), count: row.int(1), timedCount: row.int(2), exchangeCount: Int(row.sum(3)),
                    fromDeviceCount: Int(row.sum(4)), failedCount: Int(row.sum(5)), wireByteCount: row.sum(6),
                    lastAt: row.date(7)))
            return true
        }
        return result
    }

    private func durations(of names: Set<String>) throws -> [String: MedianSample] {
        var samples: [String: MedianSample] = [:]
        try connection.forEach(
            """
            SELECT name, duration_us FROM events
            WHERE app_id = ?1 AND date >= ?2 AND date < ?3 AND duration_us IS NOT NULL
            """, values: span.values
        ) { row in
            let name = row.string(0)
            guard names.contains(name) else { return true }
            samples[name, default: MedianSample(countMax: Self.durationCountMax)].add(row.int64(1))
            return true
        }
        return samples
    }
}
