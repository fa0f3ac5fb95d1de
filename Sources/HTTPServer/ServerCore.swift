import CMicroHTTPD
import HTTPModel
import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What libmicrohttpd calls back into: it lives until the daemon has stopped, whoever lets go of the server before.
final class ServerCore: Sendable {
    private struct Daemon {
        var pointer: OpaquePointer?
        var socket: ListeningSocket?
        /// The socket is the server's to close once libmicrohttpd no longer listens on it.
        var isQuiesced = false
        var sweeper: Task<Void, Never>?
    }

    let configuration: HTTPServer.Configuration
    let router: Router
    let timekeeper: any Timekeeping
    let requestID: @Sendable () -> String
    let log: @Sendable (ServerLogLine) -> Void
    let traffic = Traffic()
    private let daemon = Locked(Daemon())

    init(
        configuration: HTTPServer.Configuration, router: Router, timekeeper: any Timekeeping,
        requestID: @escaping @Sendable () -> String, log: @escaping @Sendable (ServerLogLine) -> Void
    ) {
        self.configuration = configuration
        self.router = router
        self.timekeeper = timekeeper
        self.requestID = requestID
        self.log = log
    }

    var port: UInt16 { daemon.withLock { $0.socket?.port ?? 0 } }

    /// The time by which the head of the next request must be there.
    var headDeadline: Duration { timekeeper.uptime + .seconds(configuration.idleTimeoutSeconds) }
    /// The time by which a body that begins now must be there.
    var bodyDeadline: Duration { timekeeper.uptime + .seconds(configuration.bodyTimeoutSeconds) }

    func start() throws(HTTPServerError) {
        let socket = try ListeningSocket(address: configuration.address, port: configuration.port)
        let flags: [MHD_FLAG] = [MHD_USE_EPOLL_INTERNAL_THREAD, MHD_ALLOW_SUSPEND_RESUME, MHD_USE_TURBO]
        // The head must fit with room to spare, so that the answer to a head that is too large is ours.
        let memory = max(65_536, 2 * (configuration.targetByteCountMax + configuration.fieldsByteCountMax))
        let pointer = cmhd_start(
            flags.reduce(0) { $0 | $1.rawValue }, socket.descriptor, UInt32(clamping: configuration.threadCount),
            UInt32(clamping: configuration.connectionsMax), UInt32(clamping: configuration.idleTimeoutSeconds), memory,
            Self.requestArrived, Self.targetArrived, Self.unescape, Self.requestCompleted, Self.connectionChanged,
            Unmanaged.passUnretained(self).toOpaque())
        guard let pointer else {
            socket.release()
            throw HTTPServerError("libmicrohttpd did not start on \(configuration.address) port \(socket.port)")
        }
        let sweeper = Task { [traffic, timekeeper] in
            // Ends by cancellation, which is what the sleep throws.
            while (try? await timekeeper.sleep(for: .seconds(1))) != nil {
                traffic.endOverdue(at: timekeeper.uptime)
            }
        }
        daemon.withLock { $0 = Daemon(pointer: pointer, socket: socket, sweeper: sweeper) }
    }

    /// New connections are refused from now on.
    func stopAccepting() {
        traffic.drain()
        let daemon = daemon.withLock { daemon in
            defer { daemon.isQuiesced = true }
            return daemon
        }
        guard let pointer = daemon.pointer, let socket = daemon.socket, !daemon.isQuiesced else { return }
        MHD_quiesce_daemon(pointer)
        // The descriptor stays open until the threads have ended, as they may still look at it.
        shutdown(socket.descriptor, Int32(SHUT_RDWR))
    }

    /// Ends what is under way and the daemon. Blocks until its threads have ended.
    func close() {
        stopAccepting()
        guard let exchanges = traffic.close() else { return }
        for exchange in exchanges { exchange.abort() }
        let daemon = daemon.withLock { daemon in
            defer { daemon.pointer = nil }
            return daemon
        }
        daemon.sweeper?.cancel()
        if let pointer = daemon.pointer { MHD_stop_daemon(pointer) }
        daemon.socket?.release()
    }
}

// MARK: - Callbacks

extension ServerCore {
    private static func core(_ context: UnsafeMutableRawPointer) -> ServerCore {
        Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    }

    /// The request line is there: the exchange begins. What is returned here comes back as the request's context.
    private static let targetArrived: cmhd_target_callback = { context, target, connection in
        guard let context, let target, let connection else { return nil }
        let exchange = Exchange(core: core(context), connection: connection, target: String(cString: target))
        exchange.core.traffic.began(exchange)
        return Unmanaged.passRetained(exchange).toOpaque()
    }

    /// Called when the head is there, for each piece of the body, at its end, and after each resumption.
    private static let requestArrived: MHD_AccessHandlerCallback = {
        _, _, _, method, version, bytes, byteCount, context in
        guard let byteCount, let context = context?.pointee else { return .NO }
        let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
        let piece = UnsafeRawBufferPointer(start: bytes, count: byteCount.pointee)
        byteCount.pointee = 0
        let isGood = exchange.advance(
            method: method.map { String(cString: $0) } ?? "", version: version.map { String(cString: $0) } ?? "",
            piece: piece)
        return isGood ? .YES : .NO
    }

    /// Targets stay as they came: they are decoded once, by ``RequestTarget``.
    private static let unescape:
        @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
            _, _, text in text.map { strlen($0) } ?? 0
        }

    private static let requestCompleted: MHD_RequestCompletedCallback = { _, _, context, reason in
        guard let context, let pointer = context.pointee else { return }
        context.pointee = nil
        let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeRetainedValue()
        exchange.complete(isWhole: reason == .REQUEST_TERMINATED_COMPLETED_OK)
        exchange.core.traffic.ended(exchange)
    }

    private static let connectionChanged: MHD_NotifyConnectionCallback = { context, connection, _, change in
        guard let context, let connection else { return }
        let core = core(context)
        if change == .CONNECTION_NOTIFY_STARTED {
            core.traffic.opened(connection, descriptor: cmhd_socket(connection), deadline: core.headDeadline)
        } else {
            core.traffic.closed(connection)
        }
    }
}
