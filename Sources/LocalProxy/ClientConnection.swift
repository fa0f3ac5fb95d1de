import Acceleration
import ContentStore
import Glibc
import HTTPModel
import Transport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One client's connection: reads requests in order and answers each before the next. Loop thread only.
final class ClientConnection: Watched {
    /// What the connection is at.
    enum Phase {
        /// Between requests, or within a head.
        case head
        case exchange
        /// A connection is being made for a tunnel.
        case dialing(Dial)
        case tunnel(Tunnel)
        /// What is left to write goes out, then the connection ends.
        case closing
        /// All is written; what the client still sends is read and dropped, so that it sees the answer.
        case lingering
        case closed
    }

    /// A stored body that goes from its file to the socket.
    struct Tail {
        var body: StoredBody
        var rest: Range<Int64>
    }

    let loop: EventLoop
    let socket: Int32
    let token: UInt64
    let client: SocketAddress
    let reader = MessageReader()
    var input = ByteBuffer(capacity: ClientConnection.idleByteCount)
    var output = ByteBuffer(capacity: 64)
    var tail: Tail?
    var phase = Phase.head
    var exchange: ClientExchange?
    /// Whether a read or a write may move something, as far as the kernel has told.
    var mayRead = true
    var mayWrite = true
    /// The client will send no more.
    var hasEnded = false
    /// When the client last moved a byte, or was last not expected to.
    var lastMove: Duration
    var headStarted: Duration?
    var sentByteCount: Int64 = 0
    /// What goes through the tunnel that is being made before what the client sends.
    var firstThroughTunnel: String?

    /// Bodies up to this size go out in one write with their head.
    static let inlineByteCountMax: Int64 = 64 << 10
    /// Room for bytes in each direction that a connection keeps between requests.
    static let idleByteCount = 8 << 10
    /// Requests answered in a row before others have their turn.
    private static let turnMax = 32
    /// How long a client that is being refused may go on sending.
    private static let lingerTime = Duration.seconds(2)

    init(_ socket: Int32, client: SocketAddress, token: UInt64, loop: EventLoop) {
        self.socket = socket
        self.client = client
        self.token = token
        self.loop = loop
        lastMove = loop.now
    }

    // MARK: - Events

    func handle(_ event: Poller.Event) {
        if event.isReadable || event.hasEnded { mayRead = true }
        if event.isWritable { mayWrite = true }
        if event.hasEnded { hasEnded = true }
        if case .tunnel(let tunnel) = phase { return tunnel.handle(event, of: .client) }
        if event.isGone { return abort() }
        run()
    }

    func look() {
        if case .dialing(let dial) = phase { return finish(dial) }
        run()
    }

    func drain() {
        switch phase {
        case .head where input.isEmpty: abort()
        case .tunnel, .dialing, .lingering: abort()
        case .head, .exchange, .closing, .closed: break
        }
    }

    func checkTime() {
        let idle = loop.now - lastMove
        switch phase {
        case .head:
            if let headStarted, loop.now - headStarted > loop.configuration.headTimeout {
                refuse(.headTooSlow)
                run()
            } else if idle > loop.configuration.idleTimeout {
                abort()
            }
        case .exchange:
            if waitsForClient, idle > loop.configuration.idleTimeout { abort() }
        case .closing: if idle > loop.configuration.idleTimeout { abort() }
        case .lingering: if idle > Self.lingerTime { abort() }
        case .tunnel(let tunnel): tunnel.checkTime()
        case .dialing, .closed: break
        }
    }

    /// Moves what can be moved, until nothing can or others are to have their turn.
    func run() {
        for _ in 0..<Self.turnMax {
            if isClosed { return }
            let isFlushed = flush()
            switch phase {
            case .head: guard isFlushed, readHead() else { return }
            case .exchange: guard moveExchange(isFlushed: isFlushed) else { return }
            case .closing: guard isFlushed, beginLingering() else { return }
            case .lingering: guard discard() else { return }
            case .dialing: return watchDialing()
            case .tunnel, .closed: return
            }
        }
        loop.mailbox.put(token)
    }

    // MARK: - Reading

    /// Reads what the client has sent.
    /// - Returns: whether there was anything.
    func fill(room byteCount: Int) -> Bool {
        guard mayRead else { return false }
        let room = input.room(byteCount)
        switch Socket.read(socket, into: room) {
        case .bytes(let count):
            input.commit(count)
            // A short read has emptied the socket; the end that may follow comes as an event, unless it has come already.
            if count < room.count, !hasEnded { mayRead = false }
            lastMove = loop.now
            return true
        case .wouldBlock:
            mayRead = false
            return false
        case .end:
            (mayRead, hasEnded) = (false, true)
            return false
        case .failed:
            abort()
            return false
        }
    }

    /// Reads the next head and begins to answer it.
    /// - Returns: whether to go on.
    private func readHead() -> Bool {
        if !input.isEmpty {
            do throws(ProxyFailure) {
                if let (head, byteCount) = try reader.head(in: input.bytes, loop.configuration) {
                    input.drop(byteCount)
                    headStarted = nil
                    begin(head)
                    return true
                }
            } catch {
                refuse(error)
                return true
            }
            if headStarted == nil { headStarted = loop.now }
        }
        if fill(room: 4 << 10) { return true }
        if isClosed { return false }
        if hasEnded, !mayRead { abort() }
        return false
    }

    // MARK: - Writing

    /// Writes what waits.
    /// - Returns: whether nothing waits any more.
    func flush() -> Bool {
        while !output.isEmpty {
            guard mayWrite else { return false }
            guard let count = write(output.bytes, more: tail != nil) else { return false }
            output.drop(count)
        }
        while let current = tail, !current.rest.isEmpty {
            guard mayWrite else { return false }
            let byteCount = min(current.rest.count, 1 << 20)
            switch current.body.send(at: current.rest.lowerBound, byteCount: byteCount, to: socket) {
            case .sent(let count):
                tail?.rest = (current.rest.lowerBound + Int64(count))..<current.rest.upperBound
                noteSent(count)
            case .wouldBlock:
                mayWrite = false
                return false
            case .failed:
                cutShort()
                return false
            }
        }
        tail = nil
        return !isClosed
    }

    /// Writes bytes as far as the socket takes them; `nil` when it takes none now or is gone.
    func write(_ bytes: UnsafeRawBufferPointer, more: Bool) -> Int? {
        switch Socket.write(socket, bytes, more: more) {
        case .bytes(let count):
            noteSent(count)
            return count
        case .wouldBlock:
            mayWrite = false
            return nil
        case .end, .failed:
            abort()
            return nil
        }
    }

    private func noteSent(_ count: Int) {
        sentByteCount += Int64(count)
        lastMove = loop.now
    }

    /// Writes what the loop's scratch buffer holds; what the socket does not take now waits.
    func sendScratch(more: Bool = false) {
        var rest = loop.scratch.bytes
        if output.isEmpty, mayWrite {
            guard let count = write(rest, more: more) else { return isClosed ? () : output.append(rest) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        output.append(rest)
    }

    // MARK: - The end

    /// Answers that a request cannot be taken, and ends the connection: what follows it cannot be told apart from it.
    func refuse(_ failure: ProxyFailure) {
        exchange?.keepsAlive = false
        answer(failure)
        phase = .closing
    }

    private func beginLingering() -> Bool {
        if hasEnded {
            abort()
            return false
        }
        shutdown(socket, Int32(SHUT_WR))
        phase = .lingering
        lastMove = loop.now
        input.removeAll()
        return true
    }

    private func discard() -> Bool {
        let since = lastMove
        let isMore = fill(room: 4 << 10)
        input.removeAll()
        // What the client goes on sending does not buy it time.
        lastMove = since
        if isClosed { return false }
        if hasEnded, !mayRead {
            abort()
            return false
        }
        return isMore
    }

    /// Ends the connection in the middle of an answer, so that nobody takes what came for the whole.
    func cutShort() {
        // Where the end of the connection is the end of the body, only a reset tells that it is not all.
        if exchange?.framing == .close { Socket.setResetOnClose(socket) }
        abort()
    }

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    func abort() {
        if isClosed { return }
        let ended = phase
        phase = .closed
        switch ended {
        case .tunnel(let tunnel):
            sentByteCount += tunnel.downByteCount
            if let exchange, tunnel.isWhole {
                end(exchange, isComplete: true)
                self.exchange = nil
            }
            tunnel.close()
        case .dialing(let dial): dial.abandon()
        default: break
        }
        if let exchange { end(exchange, isComplete: false) }
        exchange = nil
        tail = nil
        output.removeAll()
        loop.unwatch(token)
        Glibc.close(socket)
    }
}
