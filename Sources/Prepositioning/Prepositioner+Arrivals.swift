import ContentStore
import Dispatch
import Primitives

/// A body that has come, and the download that waits until it is committed.
struct WaitingArrival: Sendable {
    var key: ItemKey
    var arrival: ItemDownload.Arrival
    var continuation: CheckedContinuation<Void, Never>
}

/// How bodies enter the store: those that come while others are being committed are committed together, in one
/// transaction of the store and one of the journal. What a disk needs for a commit is so shared by many items when they come
/// fast, and an item that comes alone waits for nobody.
extension Prepositioner {
    /// Commits what has come, and returns when it is durable and the plan knows.
    func settle(_ key: ItemKey, _ arrival: ItemDownload.Arrival) async {
        await withCheckedContinuation { continuation in
            let isFirst = arrivals.withLock { arrivals in
                arrivals.append(WaitingArrival(key: key, arrival: arrival, continuation: continuation))
                return arrivals.count == 1
            }
            if isFirst { work.async { self.commitArrivals() } }
        }
    }

    /// Runs on the work queue, so that no version becomes active between the question and the commit.
    private func commitArrivals() {
        let waiting = arrivals.withLock { arrivals in
            defer { arrivals = [] }
            return arrivals
        }
        let (wanted, unwanted) = state.withLock { state in
            (waiting.filter { state.plan.isWanted($0.key) }, waiting.filter { !state.plan.isWanted($0.key) })
        }
        for one in unwanted { one.arrival.body.discard() }
        commit(wanted)
        for one in waiting {
            attempt("a partial download cannot be removed", one.arrival.cleanUp)
            one.continuation.resume()
        }
    }

    private func commit(_ waiting: [WaitingArrival]) {
        guard !waiting.isEmpty else { return }
        let commits = state.withLock { state in
            waiting.map { one in
                ContentStore.Arrival(
                    draft: one.arrival.draft, body: one.arrival.body, holder: one.key.holder,
                    isStaged: state.plan.isStaged(one.key))
            }
        }
        do {
            let entries = try store.commit(commits)
            try store.synchronize()
            state.withLock { state in
                state.report.itemsDownloaded += entries.count
                state.downloadCount += entries.count
            }
            step(zip(waiting, entries).map { .stored($0.key, entryID: $1.id) })
        } catch {
            // One that has no room must not keep the others away.
            for one in waiting {
                if waiting.count > 1 {
                    commit([one])
                } else {
                    one.arrival.body.discard()
                    fail(one.key, DownloadFailure("\(error)", isTransient: false))
                }
            }
        }
    }
}
