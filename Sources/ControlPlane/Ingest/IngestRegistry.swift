import ControlModel
import Primitives
import Wire

/// The ingests under way: one for each segment, a bounded number in all.
final class IngestRegistry: Sendable {
    private struct Entry {
        let appID: String
        let segment: String
        /// False while only the end is being recorded: who reads that the job has ended may go on at once.
        var isWorking = true
        var task: Task<Void, Never>?
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var isShutDown = false

        var working: [Entry] { entries.values.filter(\.isWorking) }
    }

    private let countMax: Int
    private let state = Locked(State())

    init(countMax: Int) { self.countMax = countMax }

    /// Takes a place for a job, which ``end(_:)`` gives back.
    /// - Throws: a 409 problem while the segment has another, 429 when there are too many, 503 after the shut-down.
    func reserve(_ job: IngestJob) throws {
        try state.withLock { state in
            guard !state.isShutDown else {
                throw ProblemDocument(
                    type: "/problems/shutting-down", title: "Shutting down", status: 503,
                    detail: "The server is being stopped. Start the ingest when it runs again.")
            }
            guard !state.working.contains(where: { $0.appID == job.appID && $0.segment == job.segment }) else {
                throw ProblemDocument.conflict(
                    "ingest-running", "Ingest running",
                    "An ingest into the segment \"\(job.segment)\" is running. Start another when it has ended.")
            }
            guard state.working.count < countMax else {
                throw ProblemDocument.tooMany(
                    "too-many-ingests", "Too many ingests",
                    "\(countMax) ingests are running, which is the most at a time. Try again when one has ended.")
            }
            state.entries[job.id] = Entry(appID: job.appID, segment: job.segment)
        }
    }

    /// Runs a reserved job in the background.
    /// - Parameters:
    ///   - work: does the work.
    ///   - record: records its end, once the segment is free for others.
    func start<Value: Sendable>(
        _ id: String, work: @escaping @Sendable () async -> Value, record: @escaping @Sendable (Value) async -> Void
    ) {
        state.withLock { state in
            let task = Task { @concurrent in
                let value = await work()
                self.state.withLock { $0.entries[id]?.isWorking = false }
                await record(value)
                self.end(id)
            }
            state.entries[id]?.task = task
            if state.isShutDown { task.cancel() }
        }
    }

    /// Gives a job's place back.
    func end(_ id: String) { state.withLock { _ = $0.entries.removeValue(forKey: id) } }

    /// Whether an ingest into a segment runs.
    func isRunning(appID: String, segment: String) -> Bool {
        runningSegments(appID: appID).contains(segment)
    }

    /// The segments of an app into which an ingest runs.
    func runningSegments(appID: String) -> Set<String> {
        state.withLock { state in Set(state.working.filter { $0.appID == appID }.map(\.segment)) }
    }

    /// Returns once a job is not running.
    func wait(for id: String) async {
        await state.withLock { $0.entries[id]?.task }?.value
    }

    /// Ends the ingest into a segment and returns once it has ended.
    func cancel(appID: String, segment: String) async {
        let tasks = state.withLock { state in
            state.entries.values.filter { $0.appID == appID && $0.segment == segment }.compactMap(\.task)
        }
        for task in tasks {
            task.cancel()
            await task.value
        }
    }

    /// Ends every ingest and returns once they have ended; no other can start.
    func shutDown() async {
        let tasks = state.withLock { state in
            state.isShutDown = true
            return state.entries.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
