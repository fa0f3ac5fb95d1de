import Foundation
import Larder

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tells one delegate of what happens, on its queue, for as long as it lives and is the service's delegate.
final class DelegateCalls: Sendable {
    /// A delegate on its way to its queue.
    private struct Listener: @unchecked Sendable {  // `delegate` is read on `queue` alone
        weak var delegate: (any VocServiceDelegate)?
    }

    /// What is listened to. Made before the call that sets the delegate returns, so that nothing after it is missed.
    struct Streams: Sendable {
        let statuses: AsyncStream<Prepositioner.Status>
        let contentChanges: AsyncStream<CachedContentChange>
        let itemChanges: AsyncStream<ItemChange>
        let qualities: AsyncStream<QualityEstimate>
        /// What is known already, and no news.
        let knownQuality: QualityStatus
    }

    private let listener: Listener
    let queue: OperationQueue
    private unowned let service: ClientService
    private let isActive = Locked(true)

    init(_ delegate: any VocServiceDelegate, on queue: OperationQueue, service: ClientService) {
        listener = Listener(delegate: delegate)
        self.queue = queue
        self.service = service
    }

    /// Calls no more, not even what waits in the queue.
    func end() { isActive.withLock { $0 = false } }

    /// Tells of everything in the streams until the task is cancelled: of one kind in order, the next when the last call is done.
    func run(_ streams: Streams, _ events: Locked<ServiceEvents>) async {
        await withTaskGroup { group in
            group.addTask {
                for await status in streams.statuses {
                    for event in events.withLock({ $0.handle(status) }) { await self.tell(event) }
                }
            }
            group.addTask { for await change in streams.contentChanges { await self.tell(change) } }
            group.addTask { for await change in streams.itemChanges { await self.tell(change) } }
            group.addTask {
                var told = streams.knownQuality
                for await estimate in streams.qualities where estimate.status != told {
                    told = estimate.status
                    await self.call { $0.vocService($1, networkQualityUpdate: MeasuredQuality(estimate)) }
                }
            }
        }
    }

    /// Asks the delegate about a server. Without a delegate the answer is left to nobody, and so to the system.
    func ask(_ question: ServerTrustChallenge, _ answer: ChallengeAnswer) {
        add { delegate, service in
            delegate.vocService(
                service, didReceiveChallengeFor: question.originalRequest, currentRequest: question.currentRequest,
                challenge: question.challenge, modifiedTrust: question.trust
            ) { answer.give(question.verdict($0, $1)) }
        }
    }

    // MARK: - Parts

    private func tell(_ event: ServiceEvents.Event) async {
        await call { delegate, service in
            switch event {
            case .didBecomeNotRegistered: delegate.vocService(service, didBecomeNotRegistered: [:])
            case .didFailToRegister(let code, let reason):
                delegate.vocService(service, didFailToRegister: NSError(code, reason))
            case .didRegister: delegate.vocService(service, didRegister: [:])
            case .didInitialize: delegate.vocService(service, didInitialize: [:])
            }
        }
    }

    private func tell(_ change: CachedContentChange) async {
        await call { delegate, _ in
            switch change {
            case .added(let content): delegate.cacheAdded([AkaCachedFile(content)], updated: nil, removed: nil)
            case .updated(let content): delegate.cacheAdded(nil, updated: [AkaCachedFile(content)], removed: nil)
            case .removed(let url): delegate.cacheAdded(nil, updated: nil, removed: [AkaCachedFile(removed: url)])
            }
        }
    }

    private func tell(_ change: ItemChange) async {
        let items = change.items.map {
            VocItem($0, change.kind, tracksProgress: service.config.trackFileDownloadProgress)
        }
        await call { delegate, service in
            switch change.kind {
            case .discovered: delegate.vocService(service, itemsDiscovered: items)
            case .startedDownloading: delegate.vocService(service, itemsStartDownloading: items)
            case .downloaded: delegate.vocService(service, itemsDownloaded: items)
            case .evicted: delegate.vocService(service, itemsEvicted: items)
            case .failed: break
            }
        }
    }

    private func call(_ body: @escaping @Sendable (any VocServiceDelegate, any VocService) -> Void) async {
        await withCheckedContinuation { continuation in
            add(body) { continuation.resume() }
        }
    }

    private func add(
        _ body: @escaping @Sendable (any VocServiceDelegate, any VocService) -> Void,
        finally: @escaping @Sendable () -> Void = {}
    ) {
        queue.addOperation { [self] in
            if isActive.withLock({ $0 }), let delegate = listener.delegate { body(delegate, service) }
            finally()
        }
    }
}

extension DelegateCalls.Streams {
    init(_ client: LarderClient) {
        knownQuality = client.quality.status
        statuses = client.statuses()
        contentChanges = client.cachedContentChanges()
        itemChanges = client.itemChanges()
        qualities = client.qualities()
    }
}
