import Glibc

/// The calls on sockets that the proxy makes. Every descriptor is non-blocking and closed on exec.
enum Socket {
    /// What a read or a write came to.
    enum Outcome {
        case bytes(Int)
        /// The other side has ended its direction.
        case end
        /// Nothing now; the poller tells when.
        case wouldBlock
        /// The connection is gone.
        case failed(Int32)
    }

    static func read(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(errno)
        }
    }

    /// Writes what the socket takes.
    /// - Parameter more: whether other bytes follow at once, so that the kernel may wait for them.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, more: Bool = false) -> Outcome {
        let flags = Int32(MSG_NOSIGNAL) | (more ? Int32(MSG_MORE) : 0)
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .wouldBlock : .failed(errno)
        }
    }

    /// Sends small writes at once: the proxy puts together itself what belongs together.
    static func setNoDelay(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Makes the next close a reset, which tells the other side that what it has is not all.
    static func setResetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// The error of a connection attempt that has ended; 0 for none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    /// The system's words for an error number.
    static func reason(_ number: Int32) -> String { String(cString: strerror(number)) }
}
