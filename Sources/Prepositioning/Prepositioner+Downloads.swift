import ContentStore
import Primitives
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The downloads of a sync: in order of priority, a bounded number at a time, with retries.
extension Prepositioner {
    private enum Wake: Sendable { case transfer, timer, nudge }

    /// Brings every item of the subscribed segments to the device, and takes changes of the subscription up meanwhile.
    func bringItems() async throws {
        var generation = nudge.generation
        guard try await refresh() else { return }
        await withTaskGroup(of: Wake.self) { group in
            var transferCount = 0, timerDue: Duration?
            addNudge(beyond: generation, to: &group)
            while !Task.isCancelled {
                if nudge.generation > generation {
                    generation = nudge.generation
                    addNudge(beyond: generation, to: &group)
                    // Its failures are noted; the items at hand go on.
                    _ = try? await refresh()
                }
                transferCount += startTransfers(transferCount, &group)
                let retry = state.withLock { $0.plan.nextRetry }
                guard transferCount > 0 || retry != nil else { break }
                if transferCount < transfersMax, let retry, retry < timerDue ?? .seconds(Int64.max) {
                    timerDue = retry
                    addTimer(at: retry, to: &group)
                }
                switch await group.next() {
                case .transfer: transferCount -= 1
                case .timer: timerDue = nil
                case .nudge, nil: break
                }
            }
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    private var transfersMax: Int { max(1, state.withLock { $0.plan.policy.concurrentDownloadsMax }) }

    private func addNudge(beyond generation: Int, to group: inout TaskGroup<Wake>) {
        group.addTask {
            await self.nudge.wait(beyond: generation)
            return .nudge
        }
    }

    private func addTimer(at uptime: Duration, to group: inout TaskGroup<Wake>) {
        let pause = uptime - timekeeper.uptime
        group.addTask {
            // Cancelled when the sync ends before.
            try? await self.timekeeper.sleep(for: pause)
            return .timer
        }
    }

    /// - Returns: how many were started.
    private func startTransfers(_ running: Int, _ group: inout TaskGroup<Wake>) -> Int {
        let uptime = timekeeper.uptime
        var started = 0
        while running + started < transfersMax, let key = state.withLock({ $0.plan.takeNext(at: uptime) }) {
            group.addTask {
                await self.transfer(key)
                return .transfer
            }
            started += 1
        }
        return started
    }

    /// Brings one item to the device, whatever comes of it.
    private func transfer(_ key: ItemKey) async {
        // Another segment may have brought the same item meanwhile.
        guard await !onWork({ self.reuse(key) }) else { return }
        guard let item = state.withLock({ $0.plan.item(key)?.item }) else { return }
        let download = ItemDownload(
            item: item, surroundings: surroundings, isWanted: { self.state.withLock { $0.plan.isWanted(key) } },
            onProgress: { self.noteProgress(key, $0) },
            onWire: { count in self.state.withLock { $0.report.wireByteCount += count } },
            onRefusal: { self.note(failure: "\(key.url.bareURL): \($0)") })
        do {
            let arrival = try await download.run()
            await onWork { self.commit(key, arrival) }
        } catch let failure as DownloadFailure {
            await onWork { self.fail(key, failure) }
        } catch {
            // Cancelled, or not wanted any more.
            await onWork { self.step(.interrupted(key)) }
        }
    }

    private func noteProgress(_ key: ItemKey, _ byteCount: Int64) {
        let instant = instant
        _ = state.withLock { $0.plan.handle(.progressed(key, bytesReceived: byteCount), at: instant) }
        publishProgress()
    }

    /// Runs on the work queue, so that the version does not become active between the question and the commit.
    private func commit(_ key: ItemKey, _ arrival: ItemDownload.Arrival) {
        defer { attempt("a partial download cannot be removed", arrival.cleanUp) }
        let (isWanted, isStaged) = state.withLock { ($0.plan.isWanted(key), $0.plan.isStaged(key)) }
        guard isWanted else { return arrival.body.discard() }
        do {
            let entry = try store.commit(arrival.draft, body: arrival.body, holder: key.holder, isStaged: isStaged)
            state.withLock { $0.report.itemsDownloaded += 1 }
            step(.stored(key, entryID: entry.id))
        } catch {
            arrival.body.discard()
            fail(key, DownloadFailure("\(error)", isTransient: false))
        }
    }

    private func fail(_ key: ItemKey, _ failure: DownloadFailure) {
        let attempts = state.withLock { $0.plan.item(key)?.failedAttempts ?? 0 }
        let delay = RetryPolicy.delay(
            after: failure, failedAttempts: attempts, randomFraction: configuration.randomFraction())
        step(.failed(key, failure, retryDelay: delay))
        if state.withLock({ $0.plan.item(key)?.state == .failed }) {
            note(failure: "\(key.url.bareURL): \(failure.reason)")
        }
    }
}
