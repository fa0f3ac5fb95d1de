import SQLiteDatabase

/// The schema and its history. Times are milliseconds since 1970-01-01 in UTC.
enum Schema {
    static let migrations = [
        SQLiteMigration(version: 1, sql: administration + content + devices + telemetry),
        SQLiteMigration(version: 2, sql: settings + pushTokens + eventTraffic + pinFailures),
    ]

    private static let administration = """
        CREATE TABLE settings (name TEXT NOT NULL UNIQUE, value BLOB NOT NULL) STRICT;
        CREATE TABLE administrators (name TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL) STRICT;
        CREATE TABLE sessions (
            token_digest TEXT NOT NULL UNIQUE,
            administrator TEXT NOT NULL,
            form_token TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX sessions_by_expiry ON sessions (expires_at);
        CREATE TABLE apps (
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            policy TEXT NOT NULL
        ) STRICT;
        CREATE TABLE api_keys (
            key TEXT NOT NULL UNIQUE,
            app_id TEXT NOT NULL REFERENCES apps (id),
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            revoked_at INTEGER
        ) STRICT;
        CREATE INDEX api_keys_by_app ON api_keys (app_id, created_at);

        """

    private static let content = """
        CREATE TABLE segments (
            app_id TEXT NOT NULL REFERENCES apps (id),
            name TEXT NOT NULL,
            note TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            published_version INTEGER NOT NULL,
            published_manifest TEXT,
            UNIQUE (app_id, name)
        ) STRICT;
        CREATE TABLE items (
            app_id TEXT NOT NULL,
            segment TEXT NOT NULL,
            url TEXT NOT NULL,
            state TEXT NOT NULL,
            byte_count INTEGER NOT NULL,
            sha256 TEXT,
            etag TEXT,
            last_modified TEXT,
            content_type TEXT,
            content_encoding TEXT,
            priority INTEGER NOT NULL,
            is_essential INTEGER NOT NULL,
            findings TEXT NOT NULL,
            checked_at INTEGER,
            UNIQUE (app_id, segment, url),
            FOREIGN KEY (app_id, segment) REFERENCES segments (app_id, name) ON DELETE CASCADE
        ) STRICT;
        CREATE TABLE ingest_jobs (
            id TEXT NOT NULL UNIQUE,
            app_id TEXT NOT NULL REFERENCES apps (id),
            segment TEXT NOT NULL,
            source TEXT NOT NULL,
            replaces_items INTEGER NOT NULL,
            state TEXT NOT NULL,
            items_total INTEGER NOT NULL,
            items_done INTEGER NOT NULL,
            items_failed INTEGER NOT NULL,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            failure TEXT
        ) STRICT;
        CREATE INDEX ingest_jobs_by_app ON ingest_jobs (app_id, started_at);
        CREATE INDEX ingest_jobs_running ON ingest_jobs (state) WHERE state = 'running';
        CREATE TABLE releases (
            app_id TEXT NOT NULL REFERENCES apps (id),
            version INTEGER NOT NULL,
            published_by TEXT NOT NULL,
            document BLOB NOT NULL,
            UNIQUE (app_id, version)
        ) STRICT;
        CREATE TABLE segment_versions (
            app_id TEXT NOT NULL,
            name TEXT NOT NULL,
            highest_version INTEGER NOT NULL,
            UNIQUE (app_id, name)
        ) STRICT;
        CREATE TABLE manifests (digest TEXT NOT NULL UNIQUE, document BLOB NOT NULL) STRICT;

        """

    private static let devices = """
        CREATE TABLE devices (
            id TEXT NOT NULL UNIQUE,
            app_id TEXT NOT NULL REFERENCES apps (id),
            token_digest TEXT NOT NULL,
            api_key TEXT NOT NULL,
            platform TEXT NOT NULL,
            sdk_version TEXT NOT NULL,
            registered_at INTEGER NOT NULL,
            last_seen_at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX devices_by_app ON devices (app_id, last_seen_at);
        CREATE TABLE progress (
            app_id TEXT NOT NULL,
            device_id TEXT NOT NULL,
            segment TEXT NOT NULL,
            version INTEGER NOT NULL,
            items_ready INTEGER NOT NULL,
            items_failed INTEGER NOT NULL,
            items_total INTEGER NOT NULL,
            is_active INTEGER NOT NULL,
            date INTEGER NOT NULL,
            UNIQUE (device_id, segment)
        ) STRICT;
        CREATE INDEX progress_by_app ON progress (app_id, date);

        """

    /// What devices tell hangs on the batch that brought it, and goes with it. The indexes by app and date hold every
    /// column that the statistics read, so that they never touch the tables.
    private static let telemetry = """
        CREATE TABLE batches (
            number INTEGER PRIMARY KEY,
            device_id TEXT NOT NULL,
            id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            received_at INTEGER NOT NULL,
            UNIQUE (device_id, id)
        ) STRICT;
        CREATE INDEX batches_by_receipt ON batches (received_at);
        CREATE TABLE exchanges (
            batch INTEGER NOT NULL REFERENCES batches (number) ON DELETE CASCADE,
            app_id TEXT NOT NULL,
            date INTEGER NOT NULL,
            method TEXT NOT NULL,
            url TEXT NOT NULL,
            status INTEGER NOT NULL,
            outcome TEXT NOT NULL,
            cache_status TEXT NOT NULL,
            first_byte_us INTEGER NOT NULL,
            total_us INTEGER NOT NULL,
            body_bytes INTEGER NOT NULL,
            wire_bytes INTEGER NOT NULL,
            http_version TEXT NOT NULL,
            segments TEXT NOT NULL,
            error_code TEXT
        ) STRICT;
        CREATE INDEX exchanges_by_batch ON exchanges (batch);
        CREATE INDEX exchanges_by_app ON exchanges (app_id, date, outcome, total_us, body_bytes, wire_bytes);
        CREATE TABLE events (
            batch INTEGER NOT NULL REFERENCES batches (number) ON DELETE CASCADE,
            app_id TEXT NOT NULL,
            date INTEGER NOT NULL,
            name TEXT NOT NULL,
            duration_us INTEGER
        ) STRICT;
        CREATE INDEX events_by_batch ON events (batch);
        CREATE INDEX events_by_app ON events (app_id, date, name);
        CREATE TABLE outcomes (
            batch INTEGER NOT NULL REFERENCES batches (number) ON DELETE CASCADE,
            app_id TEXT NOT NULL,
            date INTEGER NOT NULL,
            segment TEXT NOT NULL,
            version INTEGER NOT NULL,
            url TEXT NOT NULL,
            outcome TEXT NOT NULL,
            byte_count INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX outcomes_by_batch ON outcomes (batch);
        CREATE INDEX outcomes_by_app ON outcomes (app_id, date, outcome, byte_count);
        CREATE TABLE losses (
            batch INTEGER NOT NULL REFERENCES batches (number) ON DELETE CASCADE,
            app_id TEXT NOT NULL,
            date INTEGER NOT NULL,
            reason TEXT NOT NULL,
            count INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX losses_by_batch ON losses (batch);
        CREATE INDEX losses_by_app ON losses (app_id, date, reason, count);

        """

    // MARK: - Version 2

    private static let settings = """
        ALTER TABLE apps ADD COLUMN quality TEXT;
        ALTER TABLE apps ADD COLUMN pins TEXT NOT NULL DEFAULT '[]';

        """

    private static let pushTokens = """
        ALTER TABLE devices ADD COLUMN push_service TEXT;
        ALTER TABLE devices ADD COLUMN push_token TEXT;

        """

    /// The names of the events that ran as an exchange began, one a line; what went on between the ends of an event.
    private static let eventTraffic = """
        ALTER TABLE exchanges ADD COLUMN events TEXT NOT NULL DEFAULT '';
        ALTER TABLE events ADD COLUMN exchange_count INTEGER;
        ALTER TABLE events ADD COLUMN from_device_count INTEGER;
        ALTER TABLE events ADD COLUMN failed_count INTEGER;
        ALTER TABLE events ADD COLUMN wire_bytes INTEGER;
        ALTER TABLE events ADD COLUMN exchange_us INTEGER;
        CREATE INDEX batches_by_device ON batches (device_id);

        """

    /// The digests that a server showed, one a line.
    private static let pinFailures = """
        CREATE TABLE pin_failures (
            batch INTEGER NOT NULL REFERENCES batches (number) ON DELETE CASCADE,
            app_id TEXT NOT NULL,
            date INTEGER NOT NULL,
            host TEXT NOT NULL,
            shown_digests TEXT NOT NULL
        ) STRICT;
        CREATE INDEX pin_failures_by_batch ON pin_failures (batch);
        CREATE INDEX pin_failures_by_app ON pin_failures (app_id, date);

        """
}
