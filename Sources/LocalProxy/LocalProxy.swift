public import Acceleration
public import HTTPModel
public import Primitives

/// An HTTP proxy in front of the SDK's engine, for web views, browsers and other programs on the same machine.
///
/// As a forward proxy it takes requests with an absolute URL and tunnels (CONNECT); with an origin it is a reverse proxy for
/// it. It listens on the loopback unless told otherwise and asks nobody who they are: whoever reaches its port can use it.
///
/// One thread of its own moves all bytes. What the store can answer is answered on it at once; everything else goes through
/// the engine's tasks. Bodies stream in both directions with a window of bytes in memory. Linux only.
public final class LocalProxy: Sendable {
    private struct State {
        var mailbox: Mailbox?
        var port: UInt16?
        var isEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: Configuration
    private let handler: any RequestHandling
    private let timekeeper: any Timekeeping
    private let state = Locked(State())

    /// Creates a proxy, which does nothing before ``start()``.
    public init(
        configuration: Configuration = Configuration(), handler: any RequestHandling,
        timekeeper: any Timekeeping = SystemTimekeeper()
    ) {
        self.configuration = configuration
        self.handler = handler
        self.timekeeper = timekeeper
    }

    deinit { state.withLock { $0.mailbox }?.stop() }

    /// Starts to listen.
    /// - Returns: the port.
    /// - Throws: ``LocalProxyError`` when the address cannot be had, or it has been started before.
    @discardableResult
    public func start() throws(LocalProxyError) -> UInt16 {
        guard state.withLock({ $0.mailbox == nil }) else { throw LocalProxyError("the proxy has been started already") }
        let mailbox = try Mailbox()
        let listener = try Listener(address: configuration.address, port: configuration.port)
        let loop = Loop(
            try EventLoop(configuration, listener: listener, mailbox: mailbox, handler: handler, timekeeper: timekeeper)
        )
        state.withLock { state in
            state.mailbox = mailbox
            state.port = listener.port
        }
        let hasStarted = DetachedThread.start { [weak self] in
            loop.run()
            self?.noteEnd()
        }
        guard hasStarted else {
            listener.close()
            throw LocalProxyError("the system has no thread left")
        }
        return listener.port
    }

    /// The proxy's own address, once it has been started.
    public var url: HTTPURL? {
        guard let port = state.withLock({ $0.port }) else { return nil }
        let host = configuration.address.contains(":") ? "[\(configuration.address)]" : configuration.address
        return HTTPURL("http://\(host):\(port)/")
    }

    /// Takes no more clients, lets the requests under way end for at most ``Configuration/stopGrace``, and returns when the
    /// last connection is closed. Tunnels are closed at once.
    public func stop() async {
        guard let mailbox = state.withLock({ $0.mailbox }) else { return }
        mailbox.stop()
        await withCheckedContinuation { continuation in
            let isEnded = state.withLock { state in
                if !state.isEnded { state.waiters.append(continuation) }
                return state.isEnded
            }
            if isEnded { continuation.resume() }
        }
    }

    private func noteEnd() {
        let waiters = state.withLock { state in
            state.isEnded = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Carries the loop to its thread, on which alone it is used from then on.
    private struct Loop: @unchecked Sendable {  // confined to the loop's thread
        private let loop: EventLoop
        init(_ loop: EventLoop) { self.loop = loop }
        func run() { loop.run() }
    }
}
