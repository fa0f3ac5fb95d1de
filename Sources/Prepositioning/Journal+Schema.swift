import SQLiteDatabase

extension Journal {
    /// The history of the schema.
    static let migrations = [
        SQLiteMigration(
            version: 1,
            sql: """
                CREATE TABLE account (
                    keyDigest TEXT PRIMARY KEY,
                    deviceID TEXT,
                    registration BLOB,
                    signingKeys BLOB NOT NULL,
                    subscription BLOB NOT NULL,
                    releaseVersionSeen INTEGER NOT NULL,
                    releaseTag TEXT,
                    release BLOB
                ) STRICT;
                CREATE TABLE segmentVersion (
                    id INTEGER PRIMARY KEY,
                    keyDigest TEXT NOT NULL REFERENCES account (keyDigest) ON DELETE CASCADE,
                    segment TEXT NOT NULL,
                    version INTEGER NOT NULL,
                    isActive INTEGER NOT NULL,
                    digest TEXT NOT NULL,
                    manifest BLOB NOT NULL,
                    UNIQUE (keyDigest, segment, version)
                ) STRICT;
                CREATE TABLE item (
                    owner INTEGER NOT NULL REFERENCES segmentVersion (id) ON DELETE CASCADE,
                    url TEXT NOT NULL,
                    failure TEXT,
                    told INTEGER NOT NULL,
                    PRIMARY KEY (owner, url)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE partial (
                    digest TEXT PRIMARY KEY,
                    validator TEXT NOT NULL,
                    fields BLOB NOT NULL
                ) STRICT;
                """),
        SQLiteMigration(
            version: 2,
            sql: """
                ALTER TABLE account ADD COLUMN pushToken BLOB;
                ALTER TABLE account ADD COLUMN isPushTokenKnown INTEGER NOT NULL DEFAULT 0;
                """),
    ]
}
