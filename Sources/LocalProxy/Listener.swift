import CEpoll
import Glibc

/// The socket that clients connect to.
struct Listener: Sendable {
    let descriptor: Int32
    /// The port it listens on.
    let port: UInt16

    /// Binds to a numeric address.
    /// - Throws: ``LocalProxyError`` that says which address and why.
    init(address: String, port: UInt16) throws(LocalProxyError) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &list) == 0, let info = list?.pointee else {
            throw LocalProxyError("\(address) is not a numeric IPv4 or IPv6 address, such as 127.0.0.1 or ::1")
        }
        defer { freeaddrinfo(list) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(info.ai_family, kind, 0)
        guard descriptor >= 0 else { throw LocalProxyError("no socket: \(Socket.reason(errno))") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1_024) == 0,
            withUnsafeMutablePointer(
                to: &storage,
                { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
                }) == 0
        else {
            let reason = Socket.reason(errno)
            Glibc.close(descriptor)
            throw LocalProxyError("cannot listen on \(address) port \(port): \(reason)")
        }
        self.descriptor = descriptor
        self.port = SocketAddress(storage).port
    }

    /// The next client; `nil` when none waits or the process has no descriptor left.
    func accept() -> (socket: Int32, client: SocketAddress)? {
        var storage = sockaddr_storage()
        while true {
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let accepted = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { cepoll_accept(descriptor, $0, &length) }
            }
            if accepted >= 0 {
                Socket.setNoDelay(accepted)
                return (accepted, SocketAddress(storage))
            }
            if errno != EINTR, errno != ECONNABORTED { return nil }
        }
    }

    /// Takes no more clients; those that wait are refused.
    func shut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func close() { Glibc.close(descriptor) }
}

/// The address of a socket's other end.
struct SocketAddress {
    private let storage: sockaddr_storage

    init(_ storage: sockaddr_storage) { self.storage = storage }

    /// The port; 0 for other families.
    var port: UInt16 {
        withUnsafePointer(to: storage) { pointer in
            switch Int32(storage.ss_family) {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin6_port)
                }
            default: 0
            }
        }
    }

    /// The numeric host; empty for other families.
    var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        withUnsafePointer(to: storage) { pointer in
            switch Int32(storage.ss_family) {
            case AF_INET:
                pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                    var host = address.pointee.sin_addr
                    _ = inet_ntop(AF_INET, &host, &text, socklen_t(text.count))
                }
            case AF_INET6:
                pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                    var host = address.pointee.sin6_addr
                    _ = inet_ntop(AF_INET6, &host, &text, socklen_t(text.count))
                }
            default: break
            }
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
