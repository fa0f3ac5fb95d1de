import ControlModel
import SQLiteDatabase
public import Wire

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    /// Texts that devices make up are cut here, so that a broken one cannot fill the disk.
    private static let textCountMax = 2_048
    /// Batches forgotten in one transaction, so that other writes get their turn.
    private static let forgottenAtOnce = 50

    public func store(_ batch: TelemetryBatch, appID: String, receivedAt: Date) async throws -> Bool {
        try await write { connection in
            let isNew = try connection.run(
                """
                INSERT INTO batches (device_id, id, app_id, created_at, received_at) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (device_id, id) DO NOTHING
                """, batch.deviceID, batch.id, appID, batch.createdAt.milliseconds, receivedAt.milliseconds)
            guard isNew == 1 else { return false }
            let writer = BatchWriter(
                connection: connection, number: connection.lastInsertedRowID, appID: appID, deviceID: batch.deviceID)
            for item in batch.items { try writer.write(item) }
            for (reason, count) in batch.losses { try writer.writeLoss(reason, count: count, date: batch.createdAt) }
            return true
        }
    }

    public func removeTelemetry(before date: Date) async throws {
        try await write { try $0.run("DELETE FROM progress WHERE date < ?", date.milliseconds) }
        var removed: Int
        repeat {
            removed = try await write { connection in
                try connection.run(
                    "DELETE FROM batches WHERE number IN (SELECT number FROM batches WHERE received_at < ? LIMIT ?)",
                    date.milliseconds, Self.forgottenAtOnce)
            }
        } while removed > 0
    }

    /// Spreads the items of one batch over their tables.
    private struct BatchWriter {
        let connection: SQLiteConnection
        let number: Int64
        let appID: String
        let deviceID: String

        func write(_ item: TelemetryItem) throws {
            switch item {
            case .exchange(let exchange): try write(exchange)
            case .outcome(let outcome): try write(outcome)
            case .progress(let progress): try write(progress)
            case .pinFailure(let failure): try write(failure)
            case .event(let event): try write(event)
            }
        }

        func writeLoss(_ reason: String, count: Int, date: Date) throws {
            try connection.run(
                "INSERT INTO losses (batch, app_id, date, reason, count) VALUES (?, ?, ?, ?, ?)",
                number, appID, date.milliseconds, cut(reason), Int64(count).plausible)
        }

        private func write(_ exchange: ExchangeRecord) throws {
            try connection.run(
                """
                INSERT INTO exchanges (
                    batch, app_id, date, method, url, status, outcome, cache_status, first_byte_us, total_us, body_bytes,
                    wire_bytes, http_version, segments, error_code, events)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, number, appID, exchange.date.milliseconds, cut(exchange.method), cut(exchange.url),
                exchange.status, exchange.outcome.rawValue, cut(exchange.cacheStatus),
                exchange.firstByteMicroseconds.plausible, exchange.totalMicroseconds.plausible,
                exchange.bodyByteCount.plausible, exchange.wireByteCount.plausible, cut(exchange.httpVersion),
                cut(exchange.segments.joined(separator: "\n")), exchange.errorCode.map(cut),
                cut((exchange.events ?? []).joined(separator: "\n")))
        }

        private func write(_ event: AppEvent) throws {
            let traffic = event.traffic
            try connection.run(
                """
                INSERT INTO events (
                    batch, app_id, date, name, duration_us, exchange_count, from_device_count, failed_count, wire_bytes,
                    exchange_us)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, number, appID, event.date.milliseconds, cut(event.name), event.durationMicroseconds?.plausible,
                plausible(traffic?.exchangeCount), plausible(traffic?.fromDeviceCount),
                plausible(traffic?.failedCount), traffic?.wireByteCount.plausible, traffic?.totalMicroseconds.plausible)
        }

        private func write(_ failure: PinFailure) throws {
            try connection.run(
                "INSERT INTO pin_failures (batch, app_id, date, host, shown_digests) VALUES (?, ?, ?, ?, ?)",
                number, appID, failure.date.milliseconds, cut(failure.host),
                cut(failure.shownDigests.joined(separator: "\n")))
        }

        private func plausible(_ count: Int?) -> Int64? { count.map { Int64($0).plausible } }

        private func write(_ outcome: ItemOutcome) throws {
            try connection.run(
                """
                INSERT INTO outcomes (batch, app_id, date, segment, version, url, outcome, byte_count)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, number, appID, outcome.date.milliseconds, cut(outcome.segment), outcome.version,
                cut(outcome.url), outcome.outcome.rawValue, outcome.byteCount.plausible)
        }

        /// Only the newest progress counts; batches may come out of order.
        private func write(_ progress: SegmentProgress) throws {
            try connection.run(
                """
                INSERT INTO progress (
                    app_id, device_id, segment, version, items_ready, items_failed, items_total, is_active, date)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (device_id, segment) DO UPDATE SET
                    app_id = excluded.app_id, version = excluded.version, items_ready = excluded.items_ready,
                    items_failed = excluded.items_failed, items_total = excluded.items_total,
                    is_active = excluded.is_active, date = excluded.date
                WHERE excluded.date >= date
                """, appID, deviceID, cut(progress.segment), progress.version, progress.itemsReady,
                progress.itemsFailed, progress.itemsTotal, progress.isActive, progress.date.milliseconds)
        }

        private func cut(_ text: String) -> String { String(text.prefix(SQLiteRepository.textCountMax)) }
    }
}
