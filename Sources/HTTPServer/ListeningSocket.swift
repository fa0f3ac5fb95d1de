import CMicroHTTPD

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A bound, listening TCP socket.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// Binds to a numeric address.
    /// - Throws: ``HTTPServerError`` that says which address and why.
    init(address: String, port: UInt16) throws(HTTPServerError) {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &list) == 0, let info = list?.pointee else {
            throw HTTPServerError("\(address) is not a numeric IPv4 or IPv6 address")
        }
        defer { freeaddrinfo(list) }
        let descriptor = socket(
            info.ai_family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { throw HTTPServerError("no socket: \(Self.reason())") }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1_024) == 0,
            let bound = Self.port(of: descriptor)
        else {
            let reason = Self.reason()
            close(descriptor)
            throw HTTPServerError("cannot listen on \(address) port \(port): \(reason)")
        }
        self.descriptor = descriptor
        self.port = bound
    }

    /// Closes the descriptor.
    func release() { close(descriptor) }

    private static func reason() -> String { String(cString: strerror(errno)) }

    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard getsockname(descriptor, address, &length) == 0 else { return nil }
                return SocketAddress.port(of: address)
            }
        }
    }
}

/// Reads what the kernel says about peers.
enum SocketAddress {
    /// The numeric host of an address; empty for other families.
    static func host(of address: UnsafePointer<sockaddr>) -> String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN) + 1)
        let found: UnsafePointer<CChar>? =
            switch Int32(address.pointee.sa_family) {
            case AF_INET:
                address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                    var host = pointer.pointee.sin_addr
                    return inet_ntop(AF_INET, &host, &buffer, socklen_t(buffer.count))
                }
            case AF_INET6:
                address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                    var host = pointer.pointee.sin6_addr
                    return inet_ntop(AF_INET6, &host, &buffer, socklen_t(buffer.count))
                }
            default: nil
            }
        guard found != nil else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    static func port(of address: UnsafePointer<sockaddr>) -> UInt16 {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        case AF_INET6:
            address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin6_port) }
        default: 0
        }
    }
}
