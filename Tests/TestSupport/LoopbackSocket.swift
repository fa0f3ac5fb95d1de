import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a test's socket could not do.
public struct SocketError: Error, CustomStringConvertible {
    public let description: String

    init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}

/// The few socket calls that the scripted servers need.
enum LoopbackSocket {
    #if canImport(Glibc)
        private static let streamType = Int32(SOCK_STREAM.rawValue)
        private static let datagramType = Int32(SOCK_DGRAM.rawValue)
    #else
        private static let streamType = SOCK_STREAM
        private static let datagramType = SOCK_DGRAM
    #endif

    /// Binds a TCP socket, or a UDP one when asked, to 127.0.0.1 or another address, which on Linux need not exist yet.
    static func bound(
        port: Int = 0, isDatagram: Bool = false, address text: String = "127.0.0.1"
    ) throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, isDatagram ? datagramType : streamType, 0)
        guard descriptor >= 0 else { throw SocketError("socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        guard inet_pton(AF_INET, text, &address.sin_addr) == 1 else { throw SocketError("inet_pton") }
        #if canImport(Glibc)
            var isFree: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_IP), IP_FREEBIND, &isFree, socklen_t(MemoryLayout<Int32>.size))
        #endif
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isBound else {
            let error = SocketError("bind")
            close(descriptor)
            throw error
        }
        return (descriptor, Int(in_port_t(bigEndian: address.sin_port)))
    }
}

extension LoopbackSocket {
    /// What is there to read, at least one byte (blocks until then); `nil` at the end or after an error.
    static func readSome(_ descriptor: Int32) -> Data? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            return count > 0 ? Data(buffer[..<count]) : nil
        }
    }
}

/// A TCP port (and the UDP port of the same number) of the loopback that nobody uses at the moment.
///
/// For servers that cannot choose a port themselves; everything else should bind port 0.
public func freePort() throws -> Int {
    var lastError: (any Error)?
    for _ in 0..<64 {
        let stream = try LoopbackSocket.bound()
        defer { close(stream.descriptor) }
        do {
            close(try LoopbackSocket.bound(port: stream.port, isDatagram: true).descriptor)
            return stream.port
        } catch { lastError = error }
    }
    throw lastError ?? SocketError("bind")
}
