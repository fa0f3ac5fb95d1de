import Cryptography
import SQLiteDatabase

/// The sums that the budgets are held against, kept within one write transaction.
///
/// How a body stands is looked at before its entries change and once more when the change is booked. A file counts once,
/// however many entries share it; a body in the index belongs to its one entry. What entries take beside their bodies is
/// counted by the index itself.
struct Accounts {
    /// A body.
    enum Body: Hashable {
        case file(SHA256Digest)
        /// The one that the index holds for an entry.
        case inline(Int64)
    }

    private struct Standing {
        var isPinned: Bool
        var byteCount: Int64
    }

    struct Totals {
        var pinned: Int64 = 0
        var opportunistic: Int64 = 0
        var own: Int64 = 0

        /// Whether the opportunistic entries, with their own fields and URLs beyond a first MiB, take more than they may.
        func exceeds(_ budgets: StoreBudgets) -> Bool {
            opportunistic + max(0, own - StoreBudgets.freeOwnByteCount) > budgets.opportunisticByteCountMax
        }
    }

    /// Files that lost their last entry.
    private(set) var unreferenced: Set<SHA256Digest> = []
    private var before: [Body: Standing?] = [:]

    /// Remembers how a body stands before its entries change.
    mutating func note(_ body: Body, _ connection: SQLiteConnection) throws {
        if !before.keys.contains(body) { before.updateValue(try Self.standing(of: body, connection), forKey: body) }
    }

    /// Remembers that a body in the index is new.
    mutating func noteNew(inline id: Int64) { before.updateValue(nil, forKey: .inline(id)) }

    /// Books what has changed since.
    mutating func book(_ connection: SQLiteConnection) throws {
        var pinned: Int64 = 0, opportunistic: Int64 = 0, fileCount: Int64 = 0
        func count(_ standing: Standing?, _ sign: Int64, isFile: Bool) {
            guard let standing else { return }
            if standing.isPinned {
                pinned += sign * standing.byteCount
            } else {
                opportunistic += sign * standing.byteCount
            }
            if isFile { fileCount += sign }
        }
        for (body, old) in before {
            let new = try Self.standing(of: body, connection)
            var isFile = false
            if case .file(let digest) = body {
                isFile = true
                if new == nil { unreferenced.insert(digest) } else { unreferenced.remove(digest) }
            }
            count(old, -1, isFile: isFile)
            count(new, 1, isFile: isFile)
        }
        before.removeAll()
        guard pinned != 0 || opportunistic != 0 || fileCount != 0 else { return }
        try connection.run(
            """
            UPDATE totals SET pinned_byte_count = pinned_byte_count + ?,
                opportunistic_byte_count = opportunistic_byte_count + ?, body_file_count = body_file_count + ?
            """, pinned, opportunistic, fileCount)
    }

    func totals(_ connection: SQLiteConnection) throws -> Totals {
        try connection.first(
            "SELECT pinned_byte_count, opportunistic_byte_count, opportunistic_own_byte_count FROM totals"
        ) { Totals(pinned: $0.int64(0), opportunistic: $0.int64(1), own: $0.int64(2)) } ?? Totals()
    }

    /// Whether an entry has a file as its body.
    static func isReferenced(_ digest: SHA256Digest, _ connection: SQLiteConnection) throws -> Bool {
        try standing(of: .file(digest), connection) != nil
    }

    private static func standing(of body: Body, _ connection: SQLiteConnection) throws -> Standing? {
        switch body {
        case .file(let digest):
            try connection.first(
                "SELECT max(is_pinned), max(byte_count) FROM entries WHERE digest = ? AND is_inline = 0", digest.hex
            ) { row in row.isNull(0) ? nil : Standing(isPinned: row.bool(0), byteCount: row.int64(1)) } ?? nil
        case .inline(let id):
            try connection.first("SELECT is_pinned, byte_count FROM entries WHERE id = ? AND is_inline = 1", id) {
                Standing(isPinned: $0.bool(0), byteCount: $0.int64(1))
            }
        }
    }
}
