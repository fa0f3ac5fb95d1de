public import ControlModel
import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    private static let pinFailureCountMax = 100
    /// A device's batches that a timeline looks into.
    private static let timelineBatchCount = 200

    public func statistics(
        appID: String, from start: Date, to end: Date, sliceCount: Int
    ) async throws -> AppStatistics {
        let span = StatisticsSpan(appID, start, end, sliceCount: min(max(sliceCount, 1), 1_000))
        return try await read { try StatisticsReader(connection: $0, span: span).read() }
    }

    public func eventStatistics(appID: String, from start: Date, to end: Date) async throws -> [EventStatistics] {
        let span = StatisticsSpan(appID, start, end, sliceCount: 1)
        return try await read { try EventReader(connection: $0, span: span).read() }
    }

    public func pinFailures(appID: String, from start: Date, to end: Date) async throws -> [PinFailureSum] {
        let span = StatisticsSpan(appID, start, end, sliceCount: 1)
        return try await read { connection in
            var sums: [PinFailureSum] = []
            try connection.forEach(
                """
                SELECT host, shown_digests, COUNT(*), COUNT(DISTINCT device_id), MAX(date)
                FROM pin_failures JOIN batches ON number = batch
                WHERE pin_failures.app_id = ?1 AND date >= ?2 AND date < ?3
                GROUP BY host, shown_digests ORDER BY 5 DESC LIMIT \(Self.pinFailureCountMax)
                """, values: span.values
            ) { row in
                sums.append(
                    PinFailureSum(
                        host: row.string(0), shownDigests: row.lines(1), count: row.int(2), deviceCount: row.int(3),
                        lastAt: row.date(4)))
                return true
            }
            return sums
        }
    }

    public func timeline(
        deviceID: String, eventCountMax: Int, exchangeCountMax: Int
    ) async throws -> [TimelineEntry] {
        try await read { connection in
            let batches = """
                SELECT number FROM batches WHERE device_id = ? ORDER BY number DESC LIMIT \(Self.timelineBatchCount)
                """
            let events = try connection.query(
                """
                SELECT date, name, duration_us, exchange_count, from_device_count, failed_count, wire_bytes, exchange_us
                FROM events WHERE batch IN (\(batches)) ORDER BY date DESC LIMIT ?
                """, deviceID, eventCountMax
            ) { Self.event($0) }
            let exchanges = try connection.query(
                """
                SELECT date, method, url, status, outcome, cache_status, first_byte_us, total_us, body_bytes, wire_bytes,
                    http_version, segments, error_code, events
                FROM exchanges WHERE batch IN (\(batches)) AND date >= ? ORDER BY date DESC LIMIT ?
                """, deviceID, events.last?.date.milliseconds ?? Int64.min, exchangeCountMax
            ) { try Self.exchange($0) }
            let entries = events.map(TimelineEntry.event) + exchanges.map(TimelineEntry.exchange)
            return entries.sorted { $0.date > $1.date }
        }
    }

    private static func event(_ row: borrowing SQLiteRow) -> AppEvent {
        var event = AppEvent(name: row.string(1), date: row.date(0), durationMicroseconds: row.optionalInt64(2))
        if !row.isNull(3) {
            var traffic = EventTraffic()
            traffic.exchangeCount = row.int(3)
            traffic.fromDeviceCount = row.int(4)
            traffic.failedCount = row.int(5)
            traffic.wireByteCount = row.int64(6)
            traffic.totalMicroseconds = row.int64(7)
            event.traffic = traffic
        }
        return event
    }

    private static func exchange(_ row: borrowing SQLiteRow) throws -> ExchangeRecord {
        let events = row.lines(13)
        return ExchangeRecord(
            date: row.date(0), method: row.string(1), url: row.string(2), status: row.int(3),
            outcome: try row.choice(ExchangeRecord.Outcome.self, 4), cacheStatus: row.string(5),
            firstByteMicroseconds: row.int64(6), totalMicroseconds: row.int64(7), bodyByteCount: row.int64(8),
            wireByteCount: row.int64(9), httpVersion: row.string(10), segments: row.lines(11),
            errorCode: row.optionalString(12), events: events.isEmpty ? nil : events)
    }
}
