public import ControlModel
import SQLiteDatabase

extension SQLiteRepository {
    /// Ended jobs kept for each app; a job may carry thousands of URLs.
    private static let keptCount = 50
    private static let columns = """
        id, app_id, segment, source, replaces_items, state, items_total, items_done, items_failed, started_at, ended_at,
        failure
        """

    public func ingestJobs(appID: String, limit: Int) async throws -> [IngestJob] {
        try await read { connection in
            try connection.query(
                "SELECT \(Self.columns) FROM ingest_jobs WHERE app_id = ? ORDER BY started_at DESC, rowid DESC LIMIT ?",
                appID, limit
            ) { try Self.job($0) }
        }
    }

    public func ingestJob(id: String) async throws -> IngestJob? {
        try await read { connection in
            try connection.first("SELECT \(Self.columns) FROM ingest_jobs WHERE id = ?", id) { try Self.job($0) }
        }
    }

    public func runningIngestJobs() async throws -> [IngestJob] {
        try await read { connection in
            try connection.query("SELECT \(Self.columns) FROM ingest_jobs WHERE state = 'running' ORDER BY rowid") {
                try Self.job($0)
            }
        }
    }

    public func save(_ job: IngestJob) async throws {
        try await write { connection in
            // Progress is saved often, and the source can be large: it is written once.
            let updated = try connection.run(
                """
                UPDATE ingest_jobs
                SET state = ?, items_total = ?, items_done = ?, items_failed = ?, ended_at = ?, failure = ? WHERE id = ?
                """, job.state.rawValue, job.itemsTotal, job.itemsDone, job.itemsFailed, job.endedAt?.milliseconds,
                job.failure, job.id)
            guard updated == 0 else { return }
            try connection.run(
                "INSERT INTO ingest_jobs (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                job.id, job.appID, job.segment, job.source.json(), job.replacesItems, job.state.rawValue,
                job.itemsTotal, job.itemsDone, job.itemsFailed, job.startedAt.milliseconds,
                job.endedAt?.milliseconds, job.failure)
            try connection.run(
                """
                DELETE FROM ingest_jobs WHERE app_id = ?1 AND state <> 'running' AND rowid NOT IN (
                    SELECT rowid FROM ingest_jobs WHERE app_id = ?1 AND state <> 'running'
                    ORDER BY started_at DESC, rowid DESC LIMIT ?2)
                """, job.appID, Self.keptCount)
        }
    }

    private static func job(_ row: borrowing SQLiteRow) throws -> IngestJob {
        var job = IngestJob(
            id: row.string(0), appID: row.string(1), segment: row.string(2),
            source: try row.json(IngestSource.self, 3), replacesItems: row.bool(4), startedAt: row.date(9))
        job.state = try row.choice(IngestJob.State.self, 5)
        job.itemsTotal = row.int(6)
        job.itemsDone = row.int(7)
        job.itemsFailed = row.int(8)
        job.endedAt = row.optionalDate(10)
        job.failure = row.optionalString(11)
        return job
    }
}
