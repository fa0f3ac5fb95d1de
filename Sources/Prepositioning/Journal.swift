import Cryptography
import HTTPModel
import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The pre-positioner's memory: a database that survives a power loss. Every method performs disk I/O.
struct Journal: Sendable {
    private let database: SQLiteDatabase
    private let keyDigest: String

    /// Opens the journal of a directory for one API key. A journal that cannot be read is set aside as
    /// `journal.sqlite.broken` and begun anew: the device registers again and content is checked against new manifests.
    init(directory: String, apiKey: String) throws {
        keyDigest = SHA256Digest.of(Data(apiKey.utf8)).hex
        let path = directory + "/journal.sqlite"
        do {
            database = try Self.open(path)
        } catch let error as SQLiteError where error.kind == .corrupt {
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                let target = path + ".broken" + suffix
                if FileManager.default.fileExists(atPath: target) {
                    try FileManager.default.removeItem(atPath: target)
                }
                try FileManager.default.moveItem(atPath: path + suffix, toPath: target)
            }
            database = try Self.open(path)
        }
    }

    private static func open(_ path: String) throws -> SQLiteDatabase {
        var options = SQLiteDatabase.Options()
        options.synchronous = .full
        options.readerCountMax = 1
        return try SQLiteDatabase(path: path, options: options, migrations: migrations)
    }

    // MARK: - Account

    /// The account of the API key; `nil` when the key has not been seen on this device.
    func account() throws -> Account? {
        try database.read { connection in
            try connection.first(
                """
                SELECT deviceID, registration, signingKeys, subscription, releaseVersionSeen, releaseTag, release,
                    pushToken, isPushTokenKnown
                FROM account WHERE keyDigest = ?
                """, keyDigest
            ) { row in
                Account(
                    deviceID: row.optionalString(0),
                    registration: try row.optionalData(1).map {
                        try WireCoding.decode(RegistrationResponse.self, from: $0)
                    }, signingKeys: try WireCoding.decode([SigningKey].self, from: row.data(2)),
                    subscription: try WireCoding.decode(Set<String>.self, from: row.data(3)),
                    releaseVersionSeen: row.int(4), releaseTag: row.optionalString(5), release: row.optionalData(6),
                    pushToken: try row.optionalData(7).map { try WireCoding.decode(PushTokenRequest.self, from: $0) },
                    isPushTokenKnown: row.bool(8))
            }
        }
    }

    func save(_ account: Account) throws {
        let registration = try account.registration.map { try WireCoding.encode($0) }
        let signingKeys = try WireCoding.encode(account.signingKeys)
        let pushToken = try account.pushToken.map { try WireCoding.encode($0) }
        let subscription = try WireCoding.encode(account.subscription.sorted())
        try database.write { connection in
            _ = try connection.run(
                """
                INSERT INTO account (keyDigest, deviceID, registration, signingKeys, subscription, releaseVersionSeen,
                    releaseTag, release, pushToken, isPushTokenKnown)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (keyDigest) DO UPDATE SET deviceID = excluded.deviceID,
                    registration = excluded.registration, signingKeys = excluded.signingKeys,
                    subscription = excluded.subscription, releaseVersionSeen = excluded.releaseVersionSeen,
                    releaseTag = excluded.releaseTag, release = excluded.release,
                    pushToken = excluded.pushToken, isPushTokenKnown = excluded.isPushTokenKnown
                """, keyDigest, account.deviceID, registration, signingKeys, subscription, account.releaseVersionSeen,
                account.releaseTag, account.release, pushToken, account.isPushTokenKnown)
        }
    }

    /// Forgets the account with all that hangs on it, and every partial download.
    func forget() throws {
        try database.write { connection in
            try connection.run("DELETE FROM account WHERE keyDigest = ?", keyDigest)
            _ = try connection.run("DELETE FROM partial")
        }
    }

    // MARK: - Segment versions

    /// A segment version as it was kept.
    struct KeptVersion: Sendable {
        var name: SegmentVersionName
        var isActive: Bool
        var digest: SHA256Digest
        var manifest: Data
        var items: [String: KeptItem]
    }

    /// What was kept of an item.
    struct KeptItem: Sendable {
        var failure: String?
        var told: ToldOutcomes
    }

    /// The versions of this account, older first; versions of other accounts are removed.
    func versions() throws -> [KeptVersion] {
        try database.write { connection in
            try connection.run("DELETE FROM segmentVersion WHERE keyDigest <> ?", keyDigest)
            let rows = try connection.query(
                """
                SELECT id, segment, version, isActive, digest, manifest FROM segmentVersion
                WHERE keyDigest = ? ORDER BY id
                """, keyDigest
            ) { row in
                SHA256Digest(hex: row.string(4)).map { digest in
                    (
                        id: row.int64(0),
                        kept: KeptVersion(
                            name: SegmentVersionName(segment: row.string(1), version: row.int(2)),
                            isActive: row.bool(3), digest: digest, manifest: row.data(5), items: [:])
                    )
                }
            }
            return try rows.compactMap { $0 }.map { row in
                var kept = row.kept
                let items = try connection.query("SELECT url, failure, told FROM item WHERE owner = ?", row.id) { row in
                    (
                        row.string(0),
                        KeptItem(failure: row.optionalString(1), told: ToldOutcomes(rawValue: row.int(2)))
                    )
                }
                kept.items = Dictionary(items) { first, _ in first }
                return kept
            }
        }
    }

    func saveVersion(_ name: SegmentVersionName, digest: SHA256Digest, manifest: Data) throws {
        try database.write { connection in
            _ = try connection.run(
                """
                INSERT INTO segmentVersion (keyDigest, segment, version, isActive, digest, manifest)
                VALUES (?, ?, ?, 0, ?, ?) ON CONFLICT (keyDigest, segment, version) DO NOTHING
                """, keyDigest, name.segment, name.version, digest.hex, manifest)
        }
    }

    /// Notes that a version is active, and with it that no other one of the segment is.
    func activate(_ name: SegmentVersionName) throws {
        try database.write { connection in
            _ = try connection.run(
                "UPDATE segmentVersion SET isActive = (version = ?) WHERE keyDigest = ? AND segment = ?", name.version,
                keyDigest, name.segment)
        }
    }

    func remove(_ names: [SegmentVersionName]) throws {
        try database.write { connection in
            for name in names {
                try connection.run(
                    "DELETE FROM segmentVersion WHERE keyDigest = ? AND segment = ? AND version = ?", keyDigest,
                    name.segment, name.version)
            }
        }
    }

    /// Where one item stands.
    struct ItemLine: Sendable {
        var key: ItemKey
        var failure: String?
        var told: ToldOutcomes
    }

    /// Keeps where items stand, in one transaction.
    func save(_ lines: [ItemLine]) throws {
        try database.write { connection in
            for line in lines {
                _ = try connection.run(
                    """
                    INSERT INTO item (owner, url, failure, told)
                    SELECT id, ?, ?, ? FROM segmentVersion WHERE keyDigest = ? AND segment = ? AND version = ?
                    ON CONFLICT (owner, url) DO UPDATE SET failure = excluded.failure, told = excluded.told
                    """, line.key.url, line.failure, line.told.rawValue, keyDigest, line.key.segment, line.key.version)
            }
        }
    }

    // MARK: - Partial downloads

    /// What is known of the response whose beginning a partial file holds.
    struct Partial: Sendable, Hashable {
        /// The strong validator with which the rest may be asked for.
        var validator: String
        /// The fields of the response: a partial response need not repeat them (RFC 9110, section 15.3.7).
        var fields: HTTPFields
    }

    func partial(of digest: SHA256Digest) throws -> Partial? {
        try database.read { connection in
            try connection.first("SELECT validator, fields FROM partial WHERE digest = ?", digest.hex) { row in
                let lines = try WireCoding.decode([[String]].self, from: row.data(1))
                let fields = lines.compactMap { line in
                    line.count == 2 ? HTTPFieldName(line[0]).map { HTTPFields.Field($0, line[1]) } : nil
                }
                return Partial(validator: row.string(0), fields: HTTPFields(fields))
            }
        }
    }

    func savePartial(_ partial: Partial?, of digest: SHA256Digest) throws {
        let fields = try WireCoding.encode(partial?.fields.map { [$0.name.rawName, $0.value] } ?? [])
        try database.write { connection in
            guard let partial else {
                _ = try connection.run("DELETE FROM partial WHERE digest = ?", digest.hex)
                return
            }
            _ = try connection.run(
                """
                INSERT INTO partial (digest, validator, fields) VALUES (?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET validator = excluded.validator, fields = excluded.fields
                """, digest.hex, partial.validator, fields)
        }
    }

    /// The digests with a partial download.
    func partials() throws -> Set<String> {
        Set(try database.read { try $0.query("SELECT digest FROM partial") { $0.string(0) } })
    }

    func removePartials(_ digests: Set<String>) throws {
        try database.write { connection in
            for digest in digests { try connection.run("DELETE FROM partial WHERE digest = ?", digest) }
        }
    }
}
