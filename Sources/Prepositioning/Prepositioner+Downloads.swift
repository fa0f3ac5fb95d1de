import Dispatch
import HTTPModel
import Primitives
import Transport
import Wire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The downloads of a sync: in order of priority, a bounded number at a time, with retries.
extension Prepositioner {
    private enum Wake: Sendable { case transfer, timer, nudge, room }

    /// Brings every item of the subscribed segments to the device, and takes changes of the subscription up meanwhile.
    func bringItems() async throws {
        var generation = nudge.generation
        guard try await refresh() else { return }
        await withTaskGroup(of: Wake.self) { group in
            var transferCount = 0, timerDue: Duration?
            addNudge(beyond: generation, to: &group)
            addRoom(to: &group)
            while !Task.isCancelled {
                if nudge.generation > generation {
                    generation = nudge.generation
                    addNudge(beyond: generation, to: &group)
                    // Its failures are noted; the items at hand go on.
                    _ = try? await refresh()
                }
                transferCount += startTransfers(&group)
                let situation = situation
                let retry = state.withLock { $0.nextRetry(in: situation) }
                guard transferCount > 0 || retry != nil else { break }
                if let retry, retry < timerDue ?? .seconds(Int64.max) {
                    timerDue = retry
                    addTimer(at: retry, to: &group)
                }
                switch await group.next() {
                case .transfer: transferCount -= 1
                case .timer: timerDue = nil
                case .room: addRoom(to: &group)
                case .nudge, nil: break
                }
            }
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    private func addNudge(beyond generation: Int, to group: inout TaskGroup<Wake>) {
        group.addTask {
            await self.nudge.wait(beyond: generation)
            return .nudge
        }
    }

    private func addRoom(to group: inout TaskGroup<Wake>) {
        let generation = room.generation
        group.addTask {
            await self.room.wait(beyond: generation)
            return .room
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
    private func startTransfers(_ group: inout TaskGroup<Wake>) -> Int {
        let uptime = timekeeper.uptime, situation = situation
        var started = 0
        while let key = state.withLock({ $0.takeNext(at: uptime, in: situation) }) {
            group.addTask {
                await self.transfer(key)
                self.state.withLock { $0.places.free(key) }
                return .transfer
            }
            started += 1
        }
        return started
    }

    /// Brings one item to the device, whatever comes of it.
    private func transfer(_ key: ItemKey) async {
        // The app, or another segment, may have brought the same item meanwhile.
        if mayBeReusable(key), await onWork({ self.reuse([key]) == 1 }) { return }
        guard let item = state.withLock({ $0.plan.item(key)?.item }) else { return }
        let download = ItemDownload(
            item: item, surroundings: surroundings,
            isWanted: { self.mayDownload(key.segment) && self.state.withLock { $0.plan.isWanted(key) } },
            onProgress: { self.noteProgress(key, $0) },
            onReach: { self.state.withLock { $0.reachability.noteOriginReached() } },
            onWire: { self.noteExchange(with: $0, $1) },
            onRefusal: { self.note(failure: "\(key.url.bareURL): \($0)") })
        work.async { self.step(.started(key)) }
        do {
            let arrival = try await run(download, of: key)
            await settle(key, arrival)
        } catch let failure as DownloadFailure where !failure.isTransient || mayDownload(key.segment) {
            await onWork { self.fail(key, failure) }
        } catch {
            // Cancelled, not wanted any more, or broken off by what stands against it now.
            await onWork { self.step(.interrupted(key)) }
        }
    }

    /// Runs a download as a task of its own, so that it can be interrupted whatever it waits for.
    private func run(_ download: ItemDownload, of key: ItemKey) async throws -> ItemDownload.Arrival {
        let task = Task { try await download.run() }
        state.withLock { $0.transfers[key] = task }
        defer { state.withLock { $0.transfers[key] = nil } }
        if !mayDownload(key.segment) { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func noteExchange(with url: HTTPURL, _ metrics: TransferMetrics) {
        state.withLock { state in
            state.report.wireByteCount += metrics.sentByteCount + metrics.receivedByteCount
            if !metrics.httpVersion.isEmpty { state.places.note(url, httpVersion: metrics.httpVersion) }
        }
    }

    private func noteProgress(_ key: ItemKey, _ byteCount: Int64) {
        let instant = instant
        let hasRoom = state.withLock { state in
            _ = state.plan.handle(.progressed(key, bytesReceived: byteCount), at: instant)
            guard let item = state.plan.item(key)?.item else { return false }
            return state.places.progress(key, item, bytesReceived: byteCount)
        }
        if hasRoom { room.raise() }
        publishProgress()
    }

    func fail(_ key: ItemKey, _ failure: DownloadFailure) {
        let attempts = state.withLock { $0.plan.item(key)?.failedAttempts ?? 0 }
        let delay = RetryPolicy.delay(
            after: failure, failedAttempts: attempts, randomFraction: configuration.randomFraction())
        if failure.isUnreachable { state.withLock { $0.reachability.noteOriginFailed() } }
        step(.failed(key, failure, retryDelay: delay))
        guard state.withLock({ $0.plan.item(key)?.state == .failed }) else { return }
        note(failure: "\(key.url.bareURL): \(failure.reason)")
        if failure.isUnreachable {
            state.withLock { $0.reachability.noteOriginGivenUp() }
            reviewPolicy()
        }
    }
}

extension Prepositioner.State {
    /// The next item to download, in its place; `nil` when none is due or may be downloaded, or there is no place for it.
    fileprivate mutating func takeNext(at uptime: Duration, in situation: PolicySituation) -> ItemKey? {
        let allowed = downloadable(in: situation)
        let placeCount = plan.rules.concurrentDownloadsMax, places = places
        let key = plan.takeNext(
            at: uptime, isRetrying: reachability.isDoubtful, mayDownload: allowed.contains,
            fits: { places.fits($0, placeCount: placeCount) })
        guard let key, let item = plan.item(key)?.item else { return nil }
        self.places.take(key, item)
        return key
    }

    /// The uptime at which the first of the items that wait after a failure is due again.
    fileprivate mutating func nextRetry(in situation: PolicySituation) -> Duration? {
        let allowed = downloadable(in: situation)
        return plan.nextRetry(mayDownload: allowed.contains)
    }
}
