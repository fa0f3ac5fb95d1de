public import ControlModel
public import Cryptography
import SQLiteDatabase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension SQLiteRepository {
    public func administrators() async throws -> [Administrator] {
        try await read { connection in
            try connection.query("SELECT name, password_hash FROM administrators ORDER BY name") { row in
                Administrator(name: row.string(0), passwordHash: row.string(1))
            }
        }
    }

    public func save(_ administrator: Administrator) async throws {
        try await write { connection in
            try connection.run(
                """
                INSERT INTO administrators (name, password_hash) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET password_hash = excluded.password_hash
                """, administrator.name, administrator.passwordHash)
        }
    }

    public func save(_ session: AdminSession) async throws {
        try await write { connection in
            try connection.run(
                "INSERT OR REPLACE INTO sessions (token_digest, administrator, form_token, expires_at) VALUES (?, ?, ?, ?)",
                session.tokenDigest.hex, session.administrator, session.formToken, session.expiresAt.milliseconds)
        }
    }

    public func session(tokenDigest: SHA256Digest) async throws -> AdminSession? {
        try await read { connection in
            try connection.first(
                "SELECT token_digest, administrator, form_token, expires_at FROM sessions WHERE token_digest = ?",
                tokenDigest.hex
            ) { row in
                AdminSession(
                    tokenDigest: try row.digest(0), administrator: row.string(1), formToken: row.string(2),
                    expiresAt: row.date(3))
            }
        }
    }

    public func removeSession(tokenDigest: SHA256Digest) async throws {
        try await write { try $0.run("DELETE FROM sessions WHERE token_digest = ?", tokenDigest.hex) }
    }

    public func removeSessions(expiredBefore date: Date) async throws {
        try await write { try $0.run("DELETE FROM sessions WHERE expires_at < ?", date.milliseconds) }
    }

    public func removeSessions(administrator: String) async throws {
        try await write { try $0.run("DELETE FROM sessions WHERE administrator = ?", administrator) }
    }
}
