import Primitives

/// What to do next about the beacons that wait: all rules, no clock and no network.
struct BeaconPlan: Sendable {
    /// Most beacons that wait; one more makes the oldest go.
    static let countMax = 100
    /// A beacon that came to nothing so often is dropped.
    static let attemptCountMax = 3
    /// The document is asked for so often in a row before all that waits is dropped.
    static let documentAttemptCountMax = 8
    /// A document counts so long, and a limit on the rate holds at least so long.
    static let documentAgeMax = Duration.seconds(300)
    private static let shortestPause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(300)

    /// What to do next.
    enum Action: Sendable, Hashable {
        case askForDocument(isRefresh: Bool)
        case send(Beacon)
        case wait(Duration)
        /// Nothing until another beacon comes.
        case rest
    }

    private(set) var waiting: [Beacon] = []
    private(set) var document: BeaconDocument?
    /// Beacons that were dropped since the start.
    private(set) var droppedCount = 0
    /// When the document has to be asked for again; `nil` for one that never changes.
    private var documentDue: Duration?
    private var documentFailures = 0
    /// Until then nothing is tried.
    private var pauseEnd = Duration.zero

    /// Begins with a document that never changes, or without one.
    init(document: BeaconDocument?) {
        self.document = document
        documentDue = document == nil ? .zero : nil
    }

    /// Takes a beacon.
    mutating func add(_ beacon: Beacon) {
        if waiting.count >= Self.countMax { drop(1) }
        waiting.append(beacon)
    }

    /// What to do now.
    func next(at uptime: Duration) -> Action {
        guard let first = waiting.first else { return .rest }
        if uptime < pauseEnd { return .wait(pauseEnd - uptime) }
        if let documentDue {
            guard uptime < documentDue, let document else { return .askForDocument(isRefresh: document != nil) }
            if document.isRateLimited { return .wait(documentDue - uptime) }
        }
        return .send(first)
    }

    /// The document has come.
    mutating func arrived(_ document: BeaconDocument, at uptime: Duration) {
        self.document = document
        documentDue = uptime + Self.documentAgeMax
        documentFailures = 0
    }

    /// The document did not come.
    mutating func documentFailed(at uptime: Duration) {
        pauseEnd = uptime + Self.pause(after: documentFailures)
        documentFailures += 1
        guard documentFailures >= Self.documentAttemptCountMax else { return }
        drop(waiting.count)
        documentFailures = 0
        pauseEnd = uptime + Self.longestPause
    }

    /// The first beacon is done with: it has arrived, or will never be taken.
    mutating func settle(_ beacon: Beacon, isDropped: Bool) {
        guard waiting.first == beacon else { return }
        waiting.removeFirst()
        if isDropped { droppedCount += 1 }
    }

    /// The first beacon did not arrive, for a reason that may pass.
    mutating func failed(_ beacon: Beacon, at uptime: Duration) {
        // At the bound it may have gone meanwhile.
        guard waiting.first == beacon else { return }
        pauseEnd = uptime + Self.pause(after: beacon.failedAttempts)
        waiting[0].failedAttempts += 1
        if waiting[0].failedAttempts >= Self.attemptCountMax { drop(1) }
    }

    private mutating func drop(_ count: Int) {
        waiting.removeFirst(count)
        droppedCount += count
    }

    private static func pause(after failures: Int) -> Duration {
        min(shortestPause * (1 << min(failures, 10)), longestPause)
    }
}
