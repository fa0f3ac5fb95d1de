import Glibc
import Primitives

/// A connection being made to a host, on a thread of its own because looking a name up blocks.
final class Dial: Sendable {
    private struct State {
        var result: Result<Int32, ProxyFailure>?
        var isAbandoned = false
    }

    private let state = Locked(State())

    private let host: String
    private let port: UInt16
    private let timeout: Duration
    private let timekeeper: any Timekeeping

    init(host: String, port: UInt16, timeout: Duration, timekeeper: any Timekeeping) {
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
        self.timeout = timeout
        self.timekeeper = timekeeper
    }

    /// Starts; calls `onEnd` once, from the thread.
    /// - Returns: `false` when the system has no thread left.
    func start(onEnd: @escaping @Sendable () -> Void) -> Bool {
        DetachedThread.start { [self] in
            let result = Result { () throws(ProxyFailure) in try connect() }
            let isAbandoned = state.withLock { state in
                state.result = result
                return state.isAbandoned
            }
            if isAbandoned { discard() }
            onEnd()
        }
    }

    /// The connected socket, or why there is none; `nil` before the end.
    var result: Result<Int32, ProxyFailure>? { state.withLock { $0.result } }

    /// Nobody wants the connection any more.
    func abandon() {
        let isOver = state.withLock { state in
            state.isAbandoned = true
            return state.result != nil
        }
        if isOver { discard() }
    }

    private func discard() {
        let result = state.withLock { $0.result.take() }
        if case .success(let socket) = result { close(socket) }
    }

    private func connect() throws(ProxyFailure) -> Int32 {
        let deadline = timekeeper.uptime + timeout
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            throw ProxyFailure(
                status: 502, sentence: "\(host): \(String(cString: gai_strerror(status)))", type: "dns_error",
                wentForward: true)
        }
        defer { freeaddrinfo(list) }
        var failure = ProxyFailure(
            status: 502, sentence: "\(host) has no address", type: "dns_error", wentForward: true)
        var next = list
        while let info = next?.pointee {
            next = info.ai_next
            do throws(ProxyFailure) {
                return try connect(to: info, until: deadline)
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private func connect(to info: addrinfo, until deadline: Duration) throws(ProxyFailure) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(info.ai_family, kind, 0)
        guard descriptor >= 0 else { throw refused(errno) }
        var error: Int32 = 0
        if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) != 0 {
            error = errno == EINPROGRESS ? wait(for: descriptor, until: deadline) : errno
        }
        guard error == 0 else {
            close(descriptor)
            throw refused(error)
        }
        Socket.setNoDelay(descriptor)
        return descriptor
    }

    /// The error a connection attempt ends with; 0 for none.
    private func wait(for descriptor: Int32, until deadline: Duration) -> Int32 {
        var item = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let (seconds, attoseconds) = (deadline - timekeeper.uptime).components
            let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { return ETIMEDOUT }
            let count = poll(&item, 1, Int32(clamping: milliseconds))
            if count > 0 { return Socket.pendingError(descriptor) }
            if count < 0, errno != EINTR { return errno }
        }
    }

    private func refused(_ number: Int32) -> ProxyFailure {
        let isLate = number == ETIMEDOUT
        return ProxyFailure(
            status: isLate ? 504 : 502, sentence: "\(host) port \(port): \(Socket.reason(number))",
            type: isLate ? "connection_timeout" : "connection_refused", wentForward: true)
    }
}
