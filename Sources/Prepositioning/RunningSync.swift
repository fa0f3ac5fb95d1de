import Primitives

/// A sync that runs, and how many wait for it.
struct RunningSync: Sendable {
    var id: Int
    var task: Task<Prepositioner.SyncReport, Never>
    /// Rises once the sync has ended.
    var ended: Nudge
    var waiterCount = 0
    /// Nobody waits any more: it winds down.
    var isAbandoned = false
    /// The app has asked for it: what waits for the app to ask is downloaded.
    var isAsked: Bool
}

extension Prepositioner {
    /// One sync now: registration if needed, release pointer, manifests, downloads, switch. Joins one that is running.
    ///
    /// Cancelling every call that waits for the sync ends it; what has come stays. A call that is cancelled while others wait
    /// returns with what the sync has come to.
    @discardableResult
    public func sync() async -> SyncReport { await sync(isAsked: true) }

    /// One sync now without the app's having asked for what waits for that.
    public func lookForContent() async { await sync(isAsked: false) }

    /// The same for at most so long. What is unfinished then is broken off and taken up where it stopped, by the next sync; a sync
    /// that others wait for goes on.
    public func sync(within limit: Duration) async -> BoundedSync {
        let countBefore = state.withLock { $0.downloadCount }
        return await withTaskGroup(of: SyncReport?.self) { group in
            group.addTask { await self.sync(isAsked: false) }
            group.addTask {
                // Cancelled when the sync ends first.
                try? await self.timekeeper.sleep(for: limit)
                return nil
            }
            let whole = await group.next().flatMap { $0 }
            group.cancelAll()
            let interrupted = await group.next().flatMap { $0 }
            return BoundedSync(
                itemsDownloaded: state.withLock { $0.downloadCount } - countBefore, isFinished: whole != nil,
                failures: (whole ?? interrupted)?.failures ?? [])
        }
    }

    /// - Parameter isAsked: the app wants it, so that it downloads also what is not downloaded without being asked for.
    @discardableResult
    func sync(isAsked: Bool) async -> SyncReport {
        while true {
            let running = join(isAsked: isAsked)
            await running.ended.wait(beyond: 0)
            if running.isAbandoned {
                // It had to end first.
                if Task.isCancelled { return state.withLock { $0.report } }
                continue
            }
            let isLast = state.withLock { $0.leave(running.id) }
            if Task.isCancelled, !isLast { return state.withLock { $0.report } }
            if Task.isCancelled { running.task.cancel() }
            return await running.task.value
        }
    }

    private func join(isAsked: Bool) -> RunningSync {
        let (running, isFirstAsked) = state.withLock { state -> (RunningSync, Bool) in
            if var running = state.sync {
                let isFirstAsked = isAsked && !running.isAsked
                running.isAsked = running.isAsked || isAsked
                if !running.isAbandoned { running.waiterCount += 1 }
                state.sync = running
                return (running, isFirstAsked)
            }
            state.report = SyncReport()
            state.syncCount += 1
            let ended = Nudge()
            let task = Task {
                let report = await self.performSync()
                ended.raise()
                return report
            }
            let running = RunningSync(id: state.syncCount, task: task, ended: ended, waiterCount: 1, isAsked: isAsked)
            state.sync = running
            return (running, false)
        }
        if isFirstAsked { reviewPolicy() }
        return running
    }
}

extension Prepositioner {
    /// What a sync came to in the time that it was given.
    public struct BoundedSync: Sendable, Hashable {
        public var itemsDownloaded: Int
        /// It came to its end by itself.
        public var isFinished: Bool
        public var failures: [String]

        /// Creates a value.
        public init(itemsDownloaded: Int, isFinished: Bool, failures: [String]) {
            self.itemsDownloaded = itemsDownloaded
            self.isFinished = isFinished
            self.failures = failures
        }
    }
}

extension Prepositioner.State {
    /// - Returns: whether nobody waits for the sync any more.
    fileprivate mutating func leave(_ id: Int) -> Bool {
        guard var running = sync, running.id == id else { return false }
        running.waiterCount -= 1
        running.isAbandoned = running.waiterCount == 0
        sync = running
        return running.isAbandoned
    }
}
