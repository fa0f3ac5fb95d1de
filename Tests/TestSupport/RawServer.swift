public import Foundation
import Primitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A TCP server on the loopback that answers by script, byte for byte: for answers no honest server gives.
///
/// Each connection gets a thread of its own, on which the script may block. Stopping (or letting go of) the server shuts
/// every socket, which ends the scripts with an error or an end of file.
///
///     let server = try RawServer { connection in
///         while try connection.readHead() != nil {
///             try connection.write("HTTP/1.1 204 No Content\r\n\r\n")
///         }
///     }
public final class RawServer: Sendable {
    private struct State {
        var connections: [Int32: RawConnection] = [:]
        var accepted = 0
        var isStopped = false
    }

    /// The port it listens on, chosen by the system.
    public let port: Int
    /// `http://127.0.0.1:<port>`, or with another address
    public var origin: String { "http://\(address):\(port)" }
    /// How many connections have been accepted so far.
    public var connectionCount: Int { state.withLock { $0.accepted } }

    private let address: String
    private let listener: Int32
    private let state: Locked<State>

    /// Starts listening on the loopback, or an address that may come later; the script runs once for each connection, which is closed when it returns or throws.
    public init(
        address: String = "127.0.0.1", _ script: @escaping @Sendable (RawConnection) throws -> Void
    ) throws {
        self.address = address
        let bound = try LoopbackSocket.bound(address: address)
        guard listen(bound.descriptor, 1024) == 0 else {
            let error = SocketError("listen")
            close(bound.descriptor)
            throw error
        }
        listener = bound.descriptor
        port = bound.port
        let state = Locked(State())
        self.state = state
        let descriptor = bound.descriptor
        Thread.detachNewThread { Self.acceptAll(on: descriptor, state: state, script: script) }
    }

    deinit { stop() }

    /// Shuts the listening socket and every connection.
    public func stop() {
        let open = state.withLock { state -> [RawConnection]? in
            if state.isStopped { return nil }
            state.isStopped = true
            return Array(state.connections.values)
        }
        guard let open else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in open { connection.interrupt() }
    }

    private static func acceptAll(
        on listener: Int32, state: Locked<State>, script: @escaping @Sendable (RawConnection) throws -> Void
    ) {
        defer { close(listener) }
        while true {
            let descriptor = accept(listener, nil, nil)
            if descriptor < 0 {
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let connection = RawConnection(descriptor)
            let isStopped = state.withLock { state in
                if !state.isStopped {
                    state.connections[descriptor] = connection
                    state.accepted += 1
                }
                return state.isStopped
            }
            if isStopped {
                connection.close()
                return
            }
            Thread.detachNewThread {
                // A script that ends with an error has ended; the client sees a closed connection.
                do { try script(connection) } catch {}
                _ = state.withLock { $0.connections.removeValue(forKey: descriptor) }
                connection.close()
            }
        }
    }
}

/// One connection of a ``RawServer``; its calls block.
public final class RawConnection: Sendable {
    private struct State {
        var unread = Data()
        var isClosed = false
    }

    private let descriptor: Int32
    private let state = Locked(State())

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads up to and including the empty line; `nil` when the client has closed before the first byte.
    public func readHead() throws -> String? {
        let blank = Data("\r\n\r\n".utf8)
        while true {
            let head = state.withLock { state -> Data? in
                guard let end = state.unread.range(of: blank)?.upperBound else { return nil }
                defer { state.unread = Data(state.unread[end...]) }
                return Data(state.unread[..<end])
            }
            if let head { return String(decoding: head, as: UTF8.self) }
            let isEmpty = state.withLock { $0.unread.isEmpty }
            guard let more = receive() else {
                if isEmpty { return nil }
                throw SocketError("the client closed within a head")
            }
            state.withLock { $0.unread.append(more) }
        }
    }

    /// Reads exactly so many bytes, or fewer when the client closes.
    public func read(_ count: Int) throws -> Data {
        while state.withLock({ $0.unread.count }) < count, let more = receive() {
            state.withLock { $0.unread.append(more) }
        }
        return state.withLock { state in
            let bytes = Data(state.unread.prefix(count))
            state.unread = Data(state.unread.dropFirst(count))
            return bytes
        }
    }

    /// Reads and drops everything until the client closes; returns how much there was.
    @discardableResult
    public func drain() -> Int {
        var count = state.withLock { state -> Int in
            defer { state.unread = Data() }
            return state.unread.count
        }
        while let more = receive() { count += more.count }
        return count
    }

    /// Writes bytes; blocks while the client does not read.
    public func write(_ bytes: Data) throws {
        try bytes.withUnsafeBytes { buffer in
            var offset = 0
            while offset < buffer.count {
                #if canImport(Glibc)
                    let flags = Int32(MSG_NOSIGNAL)
                #else
                    let flags: Int32 = 0
                #endif
                let count = send(descriptor, buffer.baseAddress! + offset, buffer.count - offset, flags)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { throw SocketError("send") }
                offset += count
            }
        }
    }

    /// Writes text.
    public func write(_ text: String) throws { try write(Data(text.utf8)) }

    /// Closes at once with a reset (RST) instead of an orderly end.
    public func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        close()
    }

    /// Sends no more; reading goes on.
    public func endWriting() {
        state.withLock { state in
            if !state.isClosed { shutdown(descriptor, Int32(SHUT_WR)) }
        }
    }

    /// Closes the connection; a second call does nothing.
    public func close() {
        let mayClose = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if mayClose { _ = systemClose(descriptor) }
    }

    /// Ends reads and writes from another thread; the descriptor stays until the script is done.
    func interrupt() {
        state.withLock { if !$0.isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) } }
    }

    private func receive() -> Data? { LoopbackSocket.readSome(descriptor) }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
