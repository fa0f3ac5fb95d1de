import Foundation
import Prepositioning
import Primitives

/// Remembers when the last release came, across restarts.
final class ReleaseReceipts: Sendable {
    struct Receipt: Codable, Sendable, Hashable {
        var version: Int
        var date: Date
    }

    private let document: KeptDocument<Receipt>
    private let timekeeper: any Timekeeping
    private let log: LogLines
    private let receipt: Locked<Receipt?>

    /// Reads what is remembered. Performs disk I/O.
    init(directory: String, timekeeper: any Timekeeping, log: LogLines) {
        document = KeptDocument(path: directory + "/release-received.json")
        self.timekeeper = timekeeper
        self.log = log
        receipt = Locked(document.read(log))
    }

    /// When a release came; `nil` when that is not known.
    func date(of version: Int?) -> Date? {
        receipt.withLock { receipt in receipt.flatMap { $0.version == version ? $0.date : nil } }
    }

    /// Notes the release in force. Performs disk I/O when it is another one than before.
    func note(_ version: Int?) {
        guard let version else { return }
        let now = timekeeper.now
        let new = receipt.withLock { receipt -> Receipt? in
            guard receipt?.version != version else { return nil }
            receipt = Receipt(version: version, date: now)
            return receipt
        }
        if let new { document.write(new, log) }
    }
}
