/// Slows down guessing: after ten failures for a name within a minute the name is shut for a minute.
///
/// Pure; time comes in as a monotonic reading. Remembers 1,000 names at most and forgets the one quiet for longest.
struct SignInThrottle {
    static let failuresMax = 10
    static let window = Duration.seconds(60)
    static let namesMax = 1_000

    private struct Record {
        var failures: [Duration] = []
        var shutUntil: Duration?
        var lastSeen: Duration
    }

    private var records: [String: Record] = [:]

    /// How long a name stays shut; `nil` when it may try.
    func wait(for name: String, at uptime: Duration) -> Duration? {
        guard let until = records[name]?.shutUntil, until > uptime else { return nil }
        return until - uptime
    }

    /// Takes note of a failure.
    mutating func failed(_ name: String, at uptime: Duration) {
        var record = records[name] ?? Record(lastSeen: uptime)
        record.failures.removeAll { $0 + Self.window <= uptime }
        record.failures.append(uptime)
        record.lastSeen = uptime
        if record.failures.count >= Self.failuresMax {
            record.shutUntil = uptime + Self.window
            record.failures.removeAll()
        }
        records[name] = record
        if records.count > Self.namesMax, let oldest = records.min(by: { $0.value.lastSeen < $1.value.lastSeen }) {
            records.removeValue(forKey: oldest.key)
        }
    }

    /// Takes note of a success.
    mutating func succeeded(_ name: String) { records.removeValue(forKey: name) }
}
