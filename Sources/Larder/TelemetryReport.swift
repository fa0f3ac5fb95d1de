import Telemetry

/// What became of the records, events and outcomes that a client was asked to send.
public struct TelemetryReport: Sendable, Hashable, CustomStringConvertible {
    /// How the sending ended.
    public enum Outcome: Sendable, Hashable {
        /// The server has everything, or there was nothing to send.
        case sent
        /// What is left waits on the device and is sent later by itself, for this reason.
        case waiting(String)
        /// The server does not know the device any more; what is left waits for another registration.
        case refused(String)
    }

    public var outcome: Outcome
    public var batchesSent = 0
    public var itemsSent = 0
    /// Items of batches that the server will never take: they are gone.
    public var itemsRejected = 0
    /// Items that are on the device still.
    public var itemsWaiting = 0

    /// Creates a report.
    public init(
        _ outcome: Outcome, batchesSent: Int = 0, itemsSent: Int = 0, itemsRejected: Int = 0, itemsWaiting: Int = 0
    ) {
        self.outcome = outcome
        self.batchesSent = batchesSent
        self.itemsSent = itemsSent
        self.itemsRejected = itemsRejected
        self.itemsWaiting = itemsWaiting
    }

    init(_ report: TelemetryQueue.UploadReport, itemsWaiting: Int) {
        let outcome: Outcome =
            switch report.failure {
            case nil: .sent
            case let reason?: report.isRefused ? .refused(reason) : .waiting(reason)
            }
        self.init(
            outcome, batchesSent: report.batchesSent, itemsSent: report.itemsSent, itemsRejected: report.itemsRejected,
            itemsWaiting: itemsWaiting)
    }

    /// One line for people.
    public var description: String {
        var parts = ["\(itemsSent) records sent in \(batchesSent) batch\(batchesSent == 1 ? "" : "es")"]
        if itemsRejected > 0 { parts.append("\(itemsRejected) rejected and gone") }
        switch outcome {
        case .sent: break
        case .waiting(let reason): parts.append("\(itemsWaiting) waiting: \(reason)")
        case .refused(let reason): parts.append("\(itemsWaiting) refused: \(reason)")
        }
        return "analytics: " + parts.joined(separator: ", ")
    }
}
