import Foundation
import Primitives

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The adapter in Foundation's URL loading system: one object for each task.
///
/// Foundation on Linux calls it on the task's queue alone, which guards its state, and in every order: it may start a task
/// after stopping it, stop one that has never started, and start again one that was suspended.
final class InterceptingProtocol: URLProtocol {
    private enum Phase {
        case created
        /// The class that would have had the task has it.
        case passedThrough(URLProtocol)
        /// Being answered, by a task while there is something to wait for.
        case answering(TaskClient, Task<Void, Never>?)
        /// Answered or cancelled: nothing may be said any more.
        case stopped
    }

    private var phase = Phase.created

    override class func canInit(with request: URLRequest) -> Bool {
        InterceptionRegistry.shared.withLock { $0.accepts(request) }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

    override func startLoading() {
        switch phase {
        case .created: begin()
        case .passedThrough(let successor): successor.startLoading()
        case .answering(let client, _): client.resume()
        case .stopped: return
        }
    }

    override func stopLoading() {
        let isSuspended = task?.state == .suspended
        switch phase {
        case .created:
            if !isSuspended { phase = .stopped }
        case .passedThrough(let successor):
            successor.stopLoading()
            guard !isSuspended else { return }
            // The successor has told the app; without a client the framework does not tell it again.
            client = nil
            phase = .stopped
        case .answering(let client, let work):
            guard !isSuspended else { return client.pause() }
            client.stop()
            work?.cancel()
            phase = .stopped
        case .stopped: return
        }
    }

    private func begin() {
        guard let task, let handler = InterceptionRegistry.shared.withLock({ $0.current }),
            let insight = TaskInsight(task),
            let exchange = TaskExchange(task: task, request: request, insight: insight, handler: handler)
        else { return passThrough() }
        // A task that was cancelled on its way here is about to be stopped.
        let stored = task.state == .running ? exchange.answerFromStore() : nil
        if let stored, let answer = StoredAnswer(stored, for: request, form: insight.form) {
            return deliver(answer, insight)
        }
        let client = TaskClient(self)
        let settled = insight.settled(for: task)
        phase = .answering(client, Task { await exchange.run(client, settled, from: stored) })
    }

    /// Delivers an answer where Foundation has asked for it: without a task of its own and without leaving the queue.
    private func deliver(_ answer: StoredAnswer, _ insight: TaskInsight) {
        guard let client else { return }
        client.urlProtocol(self, didReceive: answer.response, cacheStoragePolicy: .notAllowed)
        if !answer.body.isEmpty {
            client.urlProtocol(self, didLoad: answer.body)
            if insight.form == .delegate || insight.taskDelegate != nil { return end(after: answer.body, insight) }
        }
        client.urlProtocolDidFinishLoading(self)
        // Without a client the framework cannot report a cancellation of a task that is complete: it would crash.
        self.client = nil
        phase = .stopped
    }

    /// Ends the task when its delegate has had the body, which may make it cancel or suspend the task.
    private func end(after body: Data, _ insight: TaskInsight) {
        let client = TaskClient(self)
        phase = .answering(client, nil)
        let (session, delegate, dataTask) = (insight.session, insight.taskDelegate, task as? URLSessionDataTask)
        session.delegateQueue.addOperation {
            // Foundation tells a task's own delegate of the response but not of the data.
            if let dataTask { delegate?.urlSession(session, dataTask: dataTask, didReceive: body) }
            client.end { $1.urlProtocolDidFinishLoading($0) }
        }
    }

    /// Hands the task to the next class of its session that takes the request.
    private func passThrough() {
        guard let task, let type = Self.successor(for: request, of: task) else {
            client?.urlProtocol(self, didFailWithError: URLError(.unsupportedURL))
            client = nil
            phase = .stopped
            return
        }
        let successor = type.init(task: task, cachedResponse: cachedResponse, client: client)
        phase = .passedThrough(successor)
        successor.startLoading()
    }

    private static func successor(for request: URLRequest, of task: URLSessionTask) -> URLProtocol.Type? {
        let own = TaskInsight.session(of: task)?.configuration.protocolClasses ?? []
        let native = URLSessionConfiguration.default.protocolClasses ?? []
        return (own + native).lazy.compactMap { $0 as? URLProtocol.Type }
            .first { $0 != InterceptingProtocol.self && $0.canInit(with: request) }
    }
}
