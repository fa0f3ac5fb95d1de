// Foundation on Linux has no NSURLConnection; this is what apps of its time need, over the shared session.
#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
    import Larder

    /// The calls of a connection's delegate that every kind of connection makes; every method is optional.
    public protocol NSURLConnectionDelegate: AnyObject {
        /// The connection has failed, and ends.
        func connection(_ connection: NSURLConnection, didFailWithError error: any Error)
    }

    /// The calls of the delegate of a connection that loads data; every method is optional.
    public protocol NSURLConnectionDataDelegate: NSURLConnectionDelegate {
        /// The head of the response.
        func connection(_ connection: NSURLConnection, didReceive response: URLResponse)
        /// The body, in one piece.
        func connection(_ connection: NSURLConnection, didReceive data: Data)
        /// The connection has ended well.
        func connectionDidFinishLoading(_ connection: NSURLConnection)
    }

    extension NSURLConnectionDelegate {
        public func connection(_ connection: NSURLConnection, didFailWithError error: any Error) {}
    }

    extension NSURLConnectionDataDelegate {
        public func connection(_ connection: NSURLConnection, didReceive response: URLResponse) {}
        public func connection(_ connection: NSURLConnection, didReceive data: Data) {}
        public func connectionDidFinishLoading(_ connection: NSURLConnection) {}
    }

    /// One request through `URLSession.shared`, and so through the SDK.
    ///
    /// It keeps itself and its delegate until it ends, and makes its calls on the delegate queue: a serial one of its own unless
    /// set, where Apple's class uses the run loop of the thread that made it.
    // Unchecked: `state` is a lock, and the delegate is called on its queue alone.
    open class NSURLConnection: NSObject, @unchecked Sendable {
        private struct State {
            var queue: OperationQueue?
            var task: URLSessionDataTask?
            var isStarted = false
            var isCancelled = false
        }

        /// What came of a request.
        private struct Outcome: Sendable {
            let data: Data?
            let response: URLResponse?
            let error: (any Error)?

            var failure: any Error { error ?? URLError(.badServerResponse) }
        }

        private let delegate: (any NSURLConnectionDelegate)?
        private let state = Locked(State())
        /// The request as the app gave it.
        public let originalRequest: URLRequest
        /// The same; redirects are followed inside the SDK.
        public var currentRequest: URLRequest { originalRequest }

        /// Creates a connection and starts it; `nil` when the request's URL cannot be loaded.
        public convenience init?(request: URLRequest, delegate: Any?) {
            self.init(request: request, delegate: delegate, startImmediately: true)
        }

        /// Creates a connection; `nil` when the request's URL cannot be loaded.
        public init?(request: URLRequest, delegate: Any?, startImmediately: Bool) {
            guard Self.canHandle(request) else { return nil }
            originalRequest = request
            self.delegate = delegate as? any NSURLConnectionDelegate
            super.init()
            if startImmediately { start() }
        }

        /// Whether a request can be loaded: whether its URL is an http or https one.
        open class func canHandle(_ request: URLRequest) -> Bool {
            ["http", "https"].contains(request.url?.scheme?.lowercased())
        }

        /// Makes the delegate's calls on a queue; before the connection is started.
        open func setDelegateQueue(_ queue: OperationQueue?) { state.withLock { $0.queue = queue } }

        /// Starts the connection; a second call does nothing.
        open func start() {
            let queue = state.withLock { state -> OperationQueue? in
                guard !state.isStarted, !state.isCancelled else { return nil }
                state.isStarted = true
                let queue = state.queue ?? OperationQueue()
                if state.queue == nil { queue.maxConcurrentOperationCount = 1 }
                return queue
            }
            guard let queue else { return }
            let task = Self.load(originalRequest) { [self] outcome in queue.addOperation { self.tell(outcome) } }
            let isCancelled = state.withLock { state in
                state.task = task
                return state.isCancelled
            }
            if isCancelled { task.cancel() } else { task.resume() }
        }

        /// Ends the connection; the delegate hears no more of it.
        open func cancel() {
            let task = state.withLock { state in
                state.isCancelled = true
                return state.task
            }
            task?.cancel()
        }

        /// Loads a request and calls back on a queue.
        open class func sendAsynchronousRequest(
            _ request: URLRequest, queue: OperationQueue,
            completionHandler handler: @escaping (URLResponse?, Data?, (any Error)?) -> Void
        ) {
            let handler = Handler<Outcome> { handler($0.response, $0.data, $0.error) }
            load(request) { outcome in queue.addOperation { handler.call(outcome) } }.resume()
        }

        /// Loads a request while the calling thread waits; not for a thread that must not block, such as one of Swift's tasks.
        /// - Throws: what the session says.
        open class func sendSynchronousRequest(
            _ request: URLRequest, returning response: UnsafeMutablePointer<URLResponse?>?
        ) throws -> Data {
            let (result, done) = (Locked<Outcome?>(nil), DispatchSemaphore(value: 0))
            load(request) { outcome in
                result.withLock { $0 = outcome }
                done.signal()
            }.resume()
            done.wait()
            let outcome = result.withLock { $0.take() }
            response?.pointee = outcome?.response
            guard let outcome, let data = outcome.data, outcome.error == nil else {
                throw outcome?.failure ?? URLError(.unknown)
            }
            return data
        }

        // MARK: - Parts

        private class func load(
            _ request: URLRequest, _ completion: @escaping @Sendable (Outcome) -> Void
        ) -> URLSessionDataTask {
            URLSession.shared.dataTask(with: request) {
                completion(Outcome(data: $0, response: $1, error: $2))
            }
        }

        private func tell(_ outcome: Outcome) {
            guard !isCancelled else { return }
            guard outcome.error == nil, let response = outcome.response else {
                delegate?.connection(self, didFailWithError: outcome.failure)
                return
            }
            guard let delegate = delegate as? any NSURLConnectionDataDelegate else { return }
            delegate.connection(self, didReceive: response)
            if !isCancelled, let data = outcome.data, !data.isEmpty { delegate.connection(self, didReceive: data) }
            if !isCancelled { delegate.connectionDidFinishLoading(self) }
        }

        private var isCancelled: Bool { state.withLock { $0.isCancelled } }
    }
#endif
