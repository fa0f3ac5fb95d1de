import Cryptography
import SQLiteDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks a whole store: the index's structure, every row, every body, every file, the totals.
///
/// Other threads and processes may go on meanwhile; what they change is not taken for a fault.
struct StoreVerifier {
    let index: StoreIndex
    let shallRepair: Bool
    private static let chunkByteCount = 256 << 10
    private var report = StoreVerification()

    init(index: StoreIndex, shallRepair: Bool) {
        self.index = index
        self.shallRepair = shallRepair
    }

    consuming func run() throws(StoreError) -> StoreVerification {
        // Nothing that a damaged index says can be relied on.
        guard try isIndexSound() else { return report }
        try checkRows()
        try checkBodies()
        try checkInlineBodies()
        try checkOrphans()
        try checkTotals()
        report.repaired = shallRepair && !report.problems.isEmpty
        return report
    }

    private mutating func isIndexSound() throws(StoreError) -> Bool {
        let problems = try index.read { try $0.integrityProblems() }
        guard !problems.isEmpty else { return true }
        index.files.markSuspect()
        report.problems += problems.map { "index: \($0); it will be set aside when the store is opened next" }
        return false
    }

    private mutating func checkRows() throws(StoreError) {
        let unreadable = try index.read { try EntryReading.unreadable($0) }
        guard !unreadable.isEmpty else { return }
        report.problems += unreadable.map { "entry \($0) cannot be read; \(remedy)" }
        if shallRepair { try index.write { try $0.removeUnreadable() } }
    }

    private mutating func checkBodies() throws(StoreError) {
        var lastDigest = ""
        while true {
            let page = try index.read { connection in
                try connection.query(
                    """
                    SELECT digest, max(byte_count), count(*) FROM entries WHERE digest > ? AND is_inline = 0
                    GROUP BY digest ORDER BY digest LIMIT 256
                    """, lastDigest
                ) { Body(digest: $0.string(0), byteCount: $0.int64(1), entryCount: $0.int(2)) }
            }
            guard let last = page.last else { return }
            lastDigest = last.digest
            for body in page { try check(body) }
        }
    }

    private struct Body: Sendable {
        var digest: String
        var byteCount: Int64
        var entryCount: Int
    }

    private mutating func check(_ body: Body) throws(StoreError) {
        guard let digest = SHA256Digest(hex: body.digest) else { return }
        report.bodiesChecked += 1
        report.entriesChecked += body.entryCount
        guard let fault = fault(of: digest, byteCount: body.byteCount) else { return }
        // Evicted since it was listed: no fault.
        guard try index.read({ try !EntryReading.sharing(digest, $0).isEmpty }) else { return }
        report.problems.append("body \(index.files.path(of: digest)) \(fault); \(remedy)")
        if shallRepair {
            let files = index.files
            try index.removeBroken([digest]) { Self.fault(of: $0, byteCount: body.byteCount, files) != nil }
        }
    }

    /// Bodies that the index holds.
    private mutating func checkInlineBodies() throws(StoreError) {
        var lastID: Int64 = 0
        while true {
            let page = try index.read { connection in
                try connection.query(
                    """
                    SELECT id, digest, bytes IS NOT NULL, bytes FROM entries LEFT JOIN bodies ON entry_id = id
                    WHERE id > ? AND is_inline = 1 ORDER BY id LIMIT 256
                    """, lastID
                ) { row in
                    let isSound = row.bool(2) && SHA256Digest.of(row.data(3)).hex == row.string(1)
                    return (id: row.int64(0), digest: row.string(1), isSound: isSound)
                }
            }
            guard let last = page.last else { return }
            lastID = last.id
            report.bodiesChecked += page.count
            report.entriesChecked += page.count
            for body in page where !body.isSound {
                report.problems.append("the body of entry \(body.id) has other bytes than were stored; \(remedy)")
                if shallRepair {
                    try index.removeBroken(body.id) { $0.map { SHA256Digest.of($0).hex != body.digest } ?? true }
                }
            }
        }
    }

    private func fault(of digest: SHA256Digest, byteCount: Int64) -> String? {
        Self.fault(of: digest, byteCount: byteCount, index.files)
    }

    /// What is wrong with a body; `nil` when it is whole.
    private static func fault(of digest: SHA256Digest, byteCount: Int64, _ files: BodyFiles) -> String? {
        do {
            guard let body = try files.open(digest, byteCount: byteCount) else {
                return "is missing or does not have its \(byteCount) bytes"
            }
            var hasher = SHA256Hasher()
            var offset: Int64 = 0
            while offset < byteCount {
                let chunk = try body.read(at: offset, byteCount: chunkByteCount)
                hasher.update(chunk)
                offset += Int64(chunk.count)
            }
            return hasher.finalize() == digest ? nil : "has other bytes than were stored"
        } catch {
            return "cannot be read (\(error.description))"
        }
    }

    private mutating func checkOrphans() throws(StoreError) {
        let orphans = try index.findOrphans(shallRemove: shallRepair)
        report.problems += orphans.sorted().map { "file \(index.files.path(of: $0)) belongs to no entry; \(remedy)" }
    }

    private mutating func checkTotals() throws(StoreError) {
        let isRight = try index.read { connection in
            try connection.first(
                """
                SELECT (\(StoreSchema.totalColumns)) = (\(StoreSchema.computedTotals)) FROM totals
                """
            ) { $0.bool(0) } ?? false
        }
        guard !isRight else { return }
        report.problems.append(
            "the totals do not agree with the entries; \(shallRepair ? "computed anew" : "left as they are")")
        if shallRepair { try index.write { try $0.recomputeTotals() } }
    }

    private var remedy: String { shallRepair ? "removed" : "left as it is" }
}
