import Foundation
import Glibc
import Primitives

/// A TCP relay that behaves like a mobile access link: it delays and slows what passes, without privileges.
///
/// Every byte of one direction, of all connections together, leaves at the link's rate and arrives half a round trip
/// later; the first bytes of a connection come a round trip later still, as after a handshake over that link. Packet loss
/// is not imitated.
final class LinkRelay: Sendable {
    /// What the link is like.
    struct Profile: Sendable {
        var name: String
        var roundTrip: Duration
        var downBitsPerSecond: Double
        var upBitsPerSecond: Double

        static let all = [
            Profile(name: "4g", roundTrip: .milliseconds(60), downBitsPerSecond: 9e6, upBitsPerSecond: 3e6),
            Profile(name: "3g", roundTrip: .milliseconds(150), downBitsPerSecond: 1.6e6, upBitsPerSecond: 0.75e6),
            Profile(name: "wifi", roundTrip: .milliseconds(10), downBitsPerSecond: 50e6, upBitsPerSecond: 20e6),
        ]

        /// Such as "60 ms round trip, 9 Mbit/s down, 3 Mbit/s up".
        var summary: String {
            let rate = { (bits: Double) in Figures.fixed(bits / 1e6, bits < 2e6 ? 1 : 0) + " Mbit/s" }
            let milliseconds = roundTrip.components.attoseconds / 1_000_000_000_000_000
            return "\(milliseconds) ms round trip, \(rate(downBitsPerSecond)) down, \(rate(upBitsPerSecond)) up"
        }
    }

    private struct State {
        var profile: Profile?
        /// When the line of each direction is free again, on the uptime clock.
        var lineFree: [Direction: Duration] = [:]
        var byteCount: Int64 = 0
        var descriptors: Set<Int32> = []
        var isStopped = false
    }

    enum Direction: Sendable { case up, down }

    /// The port that clients connect to.
    let port: UInt16
    private let origin: UInt16
    private let listener: Int32
    private let state: Locked<State>
    private let timekeeper: any Timekeeping

    /// Starts to relay from a free loopback port to another loopback port.
    /// - Throws: ``CommandFailure`` when there is no port or descriptor left.
    init(to origin: UInt16, timekeeper: any Timekeeping) throws {
        self.origin = origin
        self.timekeeper = timekeeper
        state = Locked(State())
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw CommandFailure("cannot open a port for the emulated link: errno \(errno)") }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        start("accept") { relay in relay.acceptConnections() }
    }

    /// Shapes what passes from now on; `nil` lets it pass at once.
    func shape(_ profile: Profile?) { state.withLock { $0.profile = profile } }

    /// Bytes that have passed, both ways.
    var byteCount: Int64 { state.withLock { $0.byteCount } }

    /// Closes the port and every connection: the link is down.
    func stop() {
        let descriptors = state.withLock { state -> Set<Int32> in
            guard !state.isStopped else { return [] }
            state.isStopped = true
            return state.descriptors
        }
        // Shutting down wakes the threads that wait on these; they close their own.
        Glibc.shutdown(listener, Int32(SHUT_RDWR))
        for descriptor in descriptors { Glibc.shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    // MARK: - Connections

    private func acceptConnections() {
        while !state.withLock({ $0.isStopped }) {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                if errno == EINTR { continue }
                break
            }
            let server = connectToOrigin()
            guard server >= 0 else {
                close(client)
                continue
            }
            let isOpen = state.withLock { state in
                guard !state.isStopped else { return false }
                state.descriptors.formUnion([client, server])
                return true
            }
            guard isOpen else {
                close(client)
                close(server)
                break
            }
            let connection = Connection(client: client, server: server)
            start("up") { $0.pump(connection, .up) }
            start("down") { $0.pump(connection, .down) }
        }
        close(listener)
    }

    private func connectToOrigin() -> Int32 {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = Self.loopback(port: origin)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return server }
        if server >= 0 { close(server) }
        return -1
    }

    /// Carries one direction of a connection: a reader stamps each piece with its time of arrival, a writer waits for it.
    private func pump(_ connection: Connection, _ direction: Direction) {
        let (source, target) =
            direction == .up ? (connection.client, connection.server) : (connection.server, connection.client)
        let queue = DelayQueue(byteCountMax: 256 << 10)
        start("deliver") { relay in
            while let piece = queue.pop() {
                let wait = piece.due - relay.timekeeper.uptime
                if wait > .zero {
                    usleep(
                        UInt32(
                            clamping: wait.components.seconds * 1_000_000 + wait.components.attoseconds
                                / 1_000_000_000_000))
                }
                guard Console.write(bytes: piece.bytes, to: target) else { break }
            }
            queue.close()
            Glibc.shutdown(target, Int32(SHUT_WR))
            relay.finish(connection)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var isFirst = direction == .up
        while true {
            let count = read(source, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let due = stamp(byteCount: count, direction, afterHandshake: isFirst)
            isFirst = false
            guard queue.push(.init(bytes: Data(buffer[..<count]), due: due)) else { break }
        }
        queue.finish()
    }

    private func stamp(byteCount: Int, _ direction: Direction, afterHandshake: Bool) -> Duration {
        let now = timekeeper.uptime
        return state.withLock { state in
            state.byteCount += Int64(byteCount)
            guard let profile = state.profile else { return now }
            let rate = direction == .up ? profile.upBitsPerSecond : profile.downBitsPerSecond
            let free = max(now, state.lineFree[direction] ?? now) + .seconds(Double(byteCount) * 8 / rate)
            state.lineFree[direction] = free
            return free + profile.roundTrip / 2 + (afterHandshake ? profile.roundTrip : .zero)
        }
    }

    private func finish(_ connection: Connection) {
        guard connection.finishDirection() else { return }
        state.withLock { state in
            _ = state.descriptors.remove(connection.client)
            _ = state.descriptors.remove(connection.server)
        }
        close(connection.client)
        close(connection.server)
    }

    private func start(_ name: String, _ body: @escaping @Sendable (LinkRelay) -> Void) {
        let thread = Thread { [self] in body(self) }
        thread.name = "link-\(name)"
        thread.stackSize = 256 << 10
        thread.start()
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// The two sockets of a relayed connection, closed when both directions have ended.
private final class Connection: Sendable {
    let client: Int32
    let server: Int32
    private let open = Locked(2)

    init(client: Int32, server: Int32) {
        self.client = client
        self.server = server
    }

    /// - Returns: whether it was the last.
    func finishDirection() -> Bool {
        open.withLock { count in
            count -= 1
            return count == 0
        }
    }
}

/// Pieces on their way, bounded: the reader waits while the link holds too much.
private final class DelayQueue: @unchecked Sendable {  // protected by `condition`
    struct Piece {
        var bytes: Data
        var due: Duration
    }

    private let condition = NSCondition()
    private let byteCountMax: Int
    private var pieces: [Piece] = []
    private var byteCount = 0
    private var isFinished = false
    private var isClosed = false

    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// - Returns: `false` once the receiving end is gone.
    func push(_ piece: Piece) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while byteCount >= byteCountMax, !isClosed { condition.wait() }
        guard !isClosed else { return false }
        pieces.append(piece)
        byteCount += piece.bytes.count
        condition.broadcast()
        return true
    }

    /// - Returns: `nil` at the end.
    func pop() -> Piece? {
        condition.lock()
        defer { condition.unlock() }
        while pieces.isEmpty, !isFinished, !isClosed { condition.wait() }
        guard !pieces.isEmpty, !isClosed else { return nil }
        let piece = pieces.removeFirst()
        byteCount -= piece.bytes.count
        condition.broadcast()
        return piece
    }

    /// No more will be pushed.
    func finish() {
        condition.lock()
        isFinished = true
        condition.broadcast()
        condition.unlock()
    }

    /// No more will be popped.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }
}
