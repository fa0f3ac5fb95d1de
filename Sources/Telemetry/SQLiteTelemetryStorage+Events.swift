import SQLiteDatabase
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Timed events: the rows of those that run, and of those that wait for their last exchanges.
extension SQLiteTelemetryStorage {
    /// What an earlier run of the app left; nothing while another process keeps its events here.
    func events() throws -> [StoredEvent] {
        guard eventLock.isHeld else { return [] }
        return try database.read { connection in
            try connection.query("SELECT id, name, startedAt, durationMicroseconds, traffic FROM event") { row in
                StoredEvent(
                    id: row.string(0), name: row.string(1), date: Date(timeIntervalSince1970: row.double(2)),
                    durationMicroseconds: row.optionalInt64(3), traffic: Self.traffic(row.string(4)))
            }
        }
    }

    func leaveEvents() { eventLock.release() }

    /// Writes events, or removes those that are `nil`.
    static func keep(_ events: [String: StoredEvent?], _ connection: SQLiteConnection) throws {
        for (id, event) in events {
            guard let event else {
                try connection.run("DELETE FROM event WHERE id = ?", id)
                continue
            }
            try connection.run(
                """
                INSERT INTO event (id, name, startedAt, durationMicroseconds, traffic) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET durationMicroseconds = excluded.durationMicroseconds,
                    traffic = excluded.traffic
                """, id, event.name, event.date.timeIntervalSince1970,
                event.durationMicroseconds,
                String(decoding: try WireCoding.encode(event.traffic), as: UTF8.self))
        }
    }

    /// The sums as text says; what cannot be read counts as none.
    private static func traffic(_ text: String) -> EventTraffic {
        do { return try WireCoding.decode(EventTraffic.self, from: Data(text.utf8)) } catch { return EventTraffic() }
    }
}
