import Foundation
import Larder

/// Tells one delegate of what happens, on its queue, for as long as it lives.
final class DelegateCalls: Sendable {
    /// A delegate on its way to its queue.
    private struct Listener: @unchecked Sendable {  // `delegate` is read on `queue` alone
        weak var delegate: (any VocServiceDelegate)?
    }

    private let listener: Listener
    private let queue: OperationQueue
    private let service: any VocService

    init(_ delegate: any VocServiceDelegate, on queue: OperationQueue, service: any VocService) {
        listener = Listener(delegate: delegate)
        self.queue = queue
        self.service = service
    }

    /// Follows a client until the task is cancelled.
    func run(_ client: LarderClient) async {
        let statuses = client.statuses()
        let changes = client.cachedContentChanges()
        await withTaskGroup { group in
            group.addTask {
                var events = ServiceEvents()
                for await status in statuses { for event in events.handle(status) { self.tell(event) } }
            }
            group.addTask { for await change in changes { self.tell(change) } }
        }
    }

    private func tell(_ event: ServiceEvents.Event) {
        call { delegate, service in
            switch event {
            case .didBecomeNotRegistered: delegate.vocService(service, didBecomeNotRegistered: [:])
            case .didFailToRegister(let code, let reason):
                delegate.vocService(service, didFailToRegister: NSError(code, reason))
            case .didRegister: delegate.vocService(service, didRegister: [:])
            case .didInitialize: delegate.vocService(service, didInitialize: [:])
            }
        }
    }

    private func tell(_ change: CachedContentChange) {
        call { delegate, _ in
            switch change {
            case .added(let content): delegate.cacheAdded([AkaCachedFile(content)], updated: nil, removed: nil)
            case .updated(let content): delegate.cacheAdded(nil, updated: [AkaCachedFile(content)], removed: nil)
            case .removed(let url): delegate.cacheAdded(nil, updated: nil, removed: [AkaCachedFile(removed: url)])
            }
        }
    }

    private func call(_ body: @escaping @Sendable (any VocServiceDelegate, any VocService) -> Void) {
        queue.addOperation { [self] in
            if let delegate = listener.delegate { body(delegate, service) }
        }
    }
}
